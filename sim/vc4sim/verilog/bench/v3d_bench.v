// Runs one program on v3d, as a host and a memory that do one thing after the other, and compares what memory then holds.
`timescale 1ns / 1ns
`include "program.vh"

module v3d_bench;
  parameter L2CACTL = 12'h020, SRQPC = 12'h430, SRQUA = 12'h434, SRQCS = 12'h43c, VPMBASE = 12'h504;
  parameter ENABLE_AND_CLEAR = 32'h5, ONE_COMPLETED = 32'h00010100;
  parameter BASE = `PROGRAM_BASE, WORDS = `PROGRAM_WORDS;  // the memory: its first byte, and words of 64 bits

  reg clk = 0, rst = 1;
  reg [63:0] mem [0:WORDS - 1], expected [0:WORDS - 1];
  wire irq;

  // The host.
  reg [11:0] offset;
  reg [31:0] word;
  reg h_write = 0, h_read = 0;
  wire h_awready, h_wready, h_arready, h_bvalid, h_rvalid;
  wire [31:0] h_rdata;
  wire [1:0] h_bresp, h_rresp;

  // The memory.
  reg awready = 0, wready = 0, bvalid = 0, arready = 0, rvalid = 0, rlast;
  reg [4:0] bid, rid;
  reg [63:0] rdata;
  wire awvalid, wvalid, wlast, bready, arvalid, rready;
  wire [4:0] awid, arid;
  wire [31:0] awaddr, araddr;
  wire [7:0] awlen, arlen, wstrb;
  wire [63:0] wdata;

  v3d dut (
    .clk(clk), .rst(rst), .irq(irq),
    .s_axil_awaddr(offset), .s_axil_awprot(3'd0), .s_axil_awvalid(h_write), .s_axil_awready(h_awready),
    .s_axil_wdata(word), .s_axil_wstrb(4'hf), .s_axil_wvalid(h_write), .s_axil_wready(h_wready),
    .s_axil_bresp(h_bresp), .s_axil_bvalid(h_bvalid), .s_axil_bready(1'b1),
    .s_axil_araddr(offset), .s_axil_arprot(3'd0), .s_axil_arvalid(h_read), .s_axil_arready(h_arready),
    .s_axil_rdata(h_rdata), .s_axil_rresp(h_rresp), .s_axil_rvalid(h_rvalid), .s_axil_rready(1'b1),
    .m_axi_awid(awid), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
    .m_axi_awsize(), .m_axi_awburst(), .m_axi_awlock(), .m_axi_awcache(), .m_axi_awprot(), .m_axi_awqos(),
    .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
    .m_axi_bid(bid), .m_axi_bresp(2'd0), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
    .m_axi_arid(arid), .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
    .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(),
    .m_axi_rid(rid), .m_axi_rdata(rdata), .m_axi_rresp(2'd0), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid),
    .m_axi_rready(rready)
  );

  always #5 clk = !clk;

  task write_register(input [11:0] where, input [31:0] value);
    begin
      offset <= where;
      word <= value;
      h_write <= 1;
      @(posedge clk);
      while (!(h_awready && h_wready)) @(posedge clk);
      h_write <= 0;
      while (!h_bvalid) @(posedge clk);
      if (h_bresp) $display("a write of %h is refused", where);
    end
  endtask

  task read_register(input [11:0] where, output [31:0] value);
    begin
      offset <= where;
      h_read <= 1;
      @(posedge clk);
      while (!h_arready) @(posedge clk);
      h_read <= 0;
      while (!h_rvalid) @(posedge clk);
      value = h_rdata;
      if (h_rresp) $display("a read of %h is refused", where);
    end
  endtask

  reg [31:0] r_word, w_word;
  reg [8:0] r_left;
  reg last;
  integer lane;
  integer quiet = 0;  // clocks since memory had anything to do

  always @(posedge clk) quiet <= arvalid || rvalid || awvalid || wvalid || bvalid ? 0 : quiet + 1;

  task serve_read;
    begin
      arready <= 1;
      @(posedge clk);
      while (!arvalid) @(posedge clk);
      arready <= 0;
      r_word = (araddr - BASE) / 8;
      rid <= arid;
      for (r_left = arlen + 1; r_left != 0; r_left = r_left - 1) begin
        rdata <= r_word < WORDS ? mem[r_word] : 64'd0;
        rlast <= r_left == 1;
        rvalid <= 1;
        @(posedge clk);
        while (!rready) @(posedge clk);
        rvalid <= 0;
        r_word = r_word + 1;
      end
    end
  endtask

  task serve_write;
    begin
      awready <= 1;
      @(posedge clk);
      while (!awvalid) @(posedge clk);
      awready <= 0;
      w_word = (awaddr - BASE) / 8;
      bid <= awid;
      last = 0;
      while (!last) begin
        wready <= 1;
        @(posedge clk);
        while (!wvalid) @(posedge clk);
        wready <= 0;
        for (lane = 0; lane < 8; lane = lane + 1)
          if (wstrb[lane]) mem[w_word][8 * lane +: 8] = wdata[8 * lane +: 8];
        w_word = w_word + 1;
        last = wlast;
      end
      bvalid <= 1;
      @(posedge clk);
      while (!bready) @(posedge clk);
      bvalid <= 0;
    end
  endtask

  integer place, wrong = 0;
  reg [31:0] status;
  initial begin
`ifdef WAVES
    $dumpfile("v3d.vcd");
    $dumpvars;
`endif
    $readmemh("memory.hex", mem);
    $readmemh("expected.hex", expected);
    if (^mem[0] === 1'bx || ^expected[0] === 1'bx) begin
      $display("FAIL: memory.hex and expected.hex must be where the simulator runs");
      $finish;
    end
    repeat (4) @(posedge clk);
    rst <= 0;
    write_register(VPMBASE, 16);
    write_register(L2CACTL, ENABLE_AND_CLEAR);
    write_register(SRQUA, `PROGRAM_UNIFORMS);
    write_register(SRQPC, `PROGRAM_CODE);
    status = 0;
    while (status != ONE_COMPLETED) read_register(SRQCS, status);
    while (quiet < 100) @(posedge clk);
    for (place = 0; place < WORDS; place = place + 1)
      if (mem[place] !== expected[place]) begin
        wrong = wrong + 1;
        $display("%h: %h instead of %h", BASE + 8 * place, mem[place], expected[place]);
      end
    if (wrong != 0) $display("FAIL: %0d of %0d words", wrong, WORDS);
    else $display("PASS: %0d words of memory", WORDS);
    $finish;
  end

  initial begin
    repeat (4) @(posedge clk);
    forever serve_read;
  end

  initial begin
    repeat (4) @(posedge clk);
    forever serve_write;
  end

  initial #`PROGRAM_NANOSECONDS begin
    $display("FAIL: the program has not ended");
    $finish;
  end
endmodule
