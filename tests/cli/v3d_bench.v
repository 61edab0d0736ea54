// Runs one program on the exported v3d, and prints its memory. Not the bench of the package: it sees the Verilog from
// outside, and answers one request after the other.
`timescale 1ns / 1ns

module v3d_bench;
  parameter BASE = 32'h00010000;
  parameter WORDS = 96;

  reg clk = 0, rst = 1;
  reg [63:0] mem [0:WORDS - 1];
  reg start_valid = 0, request_ready = 0, write_ready = 0, response_valid = 0;
  reg [68:0] response;
  wire start_ready, request_valid, write_valid, response_ready, idle;
  wire [43:0] request;
  wire [72:0] write;

  v3d dut (
    .clk(clk), .rst(rst), .idle(idle),
    .start__valid(start_valid), .start__ready(start_ready), .start__payload({BASE + 32'h100, BASE}),
    .bus__requests__valid(request_valid), .bus__requests__ready(request_ready), .bus__requests__payload(request),
    .bus__writes__valid(write_valid), .bus__writes__ready(write_ready), .bus__writes__payload(write),
    .bus__responses__valid(response_valid), .bus__responses__ready(response_ready), .bus__responses__payload(response)
  );

  always #5 clk = !clk;

  // A response: tag, data, last, error, low bits first.
  task respond(input [2:0] tag, input [63:0] data, input last);
    begin
      response <= {1'b0, last, data, tag};
      response_valid <= 1;
      @(posedge clk);
      while (!response_ready) @(posedge clk);
      response_valid <= 0;
    end
  endtask

  // A request: address, write, beats, tag.
  reg [31:0] word;
  reg [8:0] beats;
  reg is_write;
  reg [2:0] tag;
  integer beat, lane;

  task take_word;
    begin
      write_ready <= 1;
      @(posedge clk);
      while (!write_valid) @(posedge clk);
      write_ready <= 0;
      for (lane = 0; lane < 8; lane = lane + 1)
        if (write[64 + lane]) mem[word + beat][8 * lane +: 8] = write[8 * lane +: 8];
    end
  endtask

  task serve;
    begin
      request_ready <= 1;
      @(posedge clk);
      while (!request_valid) @(posedge clk);
      request_ready <= 0;
      word = (request[31:0] - BASE) / 8;
      is_write = request[32];
      beats = request[40:33] + 1;
      tag = request[43:41];
      for (beat = 0; beat < beats; beat = beat + 1)
        if (is_write) take_word;
        else respond(tag, word + beat < WORDS ? mem[word + beat] : 64'd0, beat + 1 == beats);
      if (is_write) respond(tag, 64'd0, 1'b1);
    end
  endtask

  integer place;
  initial begin
    $readmemh("memory.hex", mem);
    repeat (4) @(posedge clk);
    rst <= 0;
    start_valid <= 1;
    @(posedge clk);
    while (!start_ready) @(posedge clk);
    start_valid <= 0;
    repeat (8) @(posedge clk);
    while (idle !== 1) @(posedge clk);
    for (place = 0; place < WORDS; place = place + 1) $display("%h", mem[place]);
    $finish;
  end

  initial begin
    repeat (4) @(posedge clk);
    forever serve;
  end

  initial #100000 begin
    $display("the program has not ended");
    $finish;
  end
endmodule
