// The two cells of ECP5 in netlists of this package for which Yosys has no simulation model, block RAM and multiplier; and
// the flip-flop, which Yosys writes with blocks that are generated: with the square of their number grows how long Icarus
// Verilog takes to elaborate them. They do what the netlists use of them, after "ECP5 and ECP5-5G Memory Usage Guide"
// (FPGA-TN-02204) and "ECP5 and ECP5-5G sysDSP Usage Guide" (FPGA-TN-02205). What a netlist asks for beyond that ends the
// simulation.

// A bit that changes with the clock. Icarus Verilog looks it up in this table, which takes half as long as a process for each
// flip-flop in each clock.
primitive CLOCKED_BIT (q, clock, reset, enable, d);
  output q;
  reg q;
  input clock, reset, enable, d;
  initial q = 1'b0;
  table
    // clock reset enable d : q : next
       r     1     ?      ? : ? : 0;
       r     0     1      0 : ? : 0;
       r     0     1      1 : ? : 1;
       r     0     0      ? : ? : -;
       0     ?     ?      ? : ? : -;
       1     *     ?      ? : ? : -;
       1     ?     *      ? : ? : -;
       1     ?     ?      * : ? : -;
  endtable
endprimitive

// A flip-flop, which begins as its reset sets it.
module TRELLIS_FF (input CLK, LSR, CE, DI, M, output reg Q);
  parameter CEMUX = "1", CLKMUX = "CLK", LSRMUX = "LSR", SRMODE = "LSR_OVER_CE", REGSET = "RESET", LSRMODE = "LSR";
  parameter GSR = "ENABLED";

  localparam SET = REGSET == "SET";
  wire reset = LSR === 1'b1, enable = CEMUX == "1" | (CEMUX == "INV" ? ~CE : CE), d = DI ^ SET;
  wire q;
  CLOCKED_BIT kept (
    q, CLK, reset, enable, d
  );
  // After all that the clock reaches has seen what was there before.
  always @(q) Q <= q ^ SET;

  initial begin
    Q = SET;
    if (CEMUX != "1" && CEMUX != "CE" && CEMUX != "INV" || CLKMUX != "CLK" || LSRMUX != "LSR" || SRMODE != "LSR_OVER_CE" || LSRMODE != "LSR") begin
      $display("%m: a TRELLIS_FF that is not modelled");
      $finish;
    end
  end
endmodule

// A block RAM of 512 words of 36 bits, or more words of 18, 9, 4, 2 or 1 bits; each port has its own width, and only A
// writes. Words of 4, 2 and 1 bits lie in the lower eight of nine bits. Of words of 18 and 36 bits, bytes of nine bits are
// written that the lowest bits of the address choose. A port of 36 bits has its lower half on the pins A, the upper one on
// the pins B. What B reads in the clock in which A writes it is unknown.
module DP16KD (
  input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
  input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
  input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
  parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC", CSDECODE_A = "0b000", CSDECODE_B = "0b000";
  parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB", GSR = "ENABLED";
  parameter [319:0]
      INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0,
      INITVAL_04 = 0, INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0,
      INITVAL_08 = 0, INITVAL_09 = 0, INITVAL_0A = 0, INITVAL_0B = 0,
      INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0, INITVAL_0F = 0,
      INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0,
      INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0,
      INITVAL_18 = 0, INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0,
      INITVAL_1C = 0, INITVAL_1D = 0, INITVAL_1E = 0, INITVAL_1F = 0,
      INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0, INITVAL_23 = 0,
      INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0,
      INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0,
      INITVAL_2C = 0, INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0,
      INITVAL_30 = 0, INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0,
      INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0, INITVAL_37 = 0,
      INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0,
      INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0;
  localparam [20479:0] INIT = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };

  wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};

  // Of what an address names: the place of its lowest bit in a word of 36 bits.
  function [5:0] lowest(input [5:0] width, input [4:0] address);
    lowest = width == 36 ? 6'd0 : (address[4] ? 6'd18 : 6'd0) + (width == 18 ? 6'd0 :
        (address[3] ? 6'd9 : 6'd0) + (width == 9 ? 6'd0 : address[2:0] & (width == 4 ? 3'b100 : width == 2 ? 3'b110 : 3'b111)));
  endfunction

  // The bits of a word of 36 bits that A writes.
  function [35:0] written(input [5:0] width, input [4:0] address);
    written = (36'hfffffffff >> 36 - width) << lowest(width, address) & (
        width == 36 ? {{9{address[3]}}, {9{address[2]}}, {9{address[1]}}, {9{address[0]}}} :
        width == 18 ? {2{{9{address[1]}}, {9{address[0]}}}} : 36'hfffffffff);
  endfunction

  reg [35:0] memory [0:511];
  reg [35:0] read_a = 0, read_b = 0, data, mask, met;
  integer row;
  initial begin
    for (row = 0; row < 512; row = row + 1) memory[row] = {INIT[40 * row + 20 +: 18], INIT[40 * row +: 18]};
    if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CSDECODE_A != "0b000" || CSDECODE_B != "0b000" ||
        CLKAMUX != "CLKA" || CLKBMUX != "CLKB") begin
      $display("%m: a DP16KD that is not modelled");
      $finish;
    end
  end

  always @(posedge CLKA) begin
    data = memory[ada[13:5]];
    mask = CEA & WEA ? written(DATA_WIDTH_A, ada[4:0]) : 36'd0;
    if (RSTA) read_a <= 0;
    else if (CEA & ~(WEA & WRITEMODE_A == "NORMAL")) read_a <= data >> lowest(DATA_WIDTH_A, ada[4:0]);
    if (mask != 0)
      memory[ada[13:5]] <= data & ~mask | (DATA_WIDTH_A == 36 ? {dib, dia} : {18'd0, dia}) << lowest(DATA_WIDTH_A, ada[4:0]) & mask;
  end

  always @(posedge CLKB) begin
    met = CEA & WEA & ada[13:5] == adb[13:5] ? written(DATA_WIDTH_A, ada[4:0]) : 36'd0;
    if (RSTB) read_b <= 0;
    else if (CEB) read_b <= (memory[adb[13:5]] & ~met | {36{1'bx}} & met) >> lowest(DATA_WIDTH_B, adb[4:0]);
    if (WEB | RSTA | RSTB & RESETMODE != "SYNC" | CEA & WEA & WRITEMODE_A == "WRITETHROUGH") begin
      $display("%m: a use of a DP16KD that is not modelled");
      $finish;
    end
  end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} =
      DATA_WIDTH_B == 36 ? read_b[17:0] : read_a[17:0];
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} =
      DATA_WIDTH_B == 36 ? read_b[35:18] : read_b[17:0];
endmodule

// A multiplier of two words of 18 bits, without a register.
module MULT18X18D (
  input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0,
  output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
  output P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  parameter REG_INPUTA_CLK = "NONE", REG_INPUTB_CLK = "NONE", REG_INPUTC_CLK = "NONE";
  parameter REG_PIPELINE_CLK = "NONE", REG_OUTPUT_CLK = "NONE", MULT_BYPASS = "DISABLED";

  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  wire signed [35:0] wide_a = {{18{SIGNEDA & A17}}, a}, wide_b = {{18{SIGNEDB & B17}}, b};
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = wide_a * wide_b;

  initial
    if (REG_INPUTA_CLK != "NONE" || REG_INPUTB_CLK != "NONE" || REG_PIPELINE_CLK != "NONE" || REG_OUTPUT_CLK != "NONE" ||
        MULT_BYPASS != "DISABLED") begin
      $display("%m: a MULT18X18D that is not modelled");
      $finish;
    end
endmodule
