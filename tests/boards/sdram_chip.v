// An SDR SDRAM by its pins, as data sheets describe it: 4 banks of 8192 rows of 512 words of 16 bits, bursts of one or two words, CAS
// latency 2 or 3, auto precharge. It says what it must not be asked, as `violation`. Times are clocks of 10 ns.
//
// What it reads changes half a clock after the edge that brings it, and is there half a clock longer than that: so late it comes from a chip of
// 100 MHz, through the pins on the way.
module sdram_chip (
    input clk, input cke, input cs_n, input ras_n, input cas_n, input we_n,
    input [1:0] ba, input [12:0] a, input [1:0] dm, inout [15:0] dq
);
    localparam TRCD = 2, TRP = 2, TRAS = 5, TRC = 7, TRRD = 2, TRFC = 7, TWR = 2, TMRD = 2, START = 20000;
    reg [15:0] words [0:(1 << 24) - 1];
    reg [12:0] row [0:3];
    reg [3:0] open = 0;
    reg [31:0] now = 0, activated_any = 0, refreshed = 0, configured = 0, refreshes = 0;
    reg [31:0] activated [0:3], precharged [0:3], written [0:3];
    reg [2:0] latency = 0;
    reg pair = 0, ready = 0;
    integer bank;
    initial
        for (bank = 0; bank < 4; bank = bank + 1) begin
            activated[bank] = 0;
            precharged[bank] = 0;
            written[bank] = 0;
        end

    // Words on their way out, the next one lowest.
    reg [3:0] leaving = 0;
    reg [15:0] leaves [0:3];
    reg [15:0] word, driven = 0;
    reg [1:0] masked = 0, mask = 0, driven_mask = 0;
    reg drives = 0, driving = 0;
    // The second word of a write.
    reg follows = 0;
    reg [23:0] follower;
    wire [23:0] place = {ba, row[ba], a[8:0]};
    // Registers of pins are high when an FPGA begins, and low in a simulation.
    wire [3:0] command = {cs_n || !now, ras_n, cas_n, we_n};
    wire selected = !command[3] && command != 4'b0111;
    localparam ACTIVE = 4'b0011, READ = 4'b0101, WRITE = 4'b0100, PRECHARGE = 4'b0010, REFRESH = 4'b0001, MODE = 4'b0000;

    task check(input holds, input [8*20-1:0] what);
        if (!holds) $display("violation at %0d: %0s, bank %0d", now, what, ba);
    endtask
    task store(input [23:0] where);
        begin
            if (!dm[0]) words[where][7:0] <= dq[7:0];
            if (!dm[1]) words[where][15:8] <= dq[15:8];
            written[where[23:22]] <= now;
            check(!driving, "both sides drive");
        end
    endtask
    task close(input [1:0] which, input [31:0] after);
        begin
            open[which] <= 0;
            if (open[which]) precharged[which] <= now + after;
        end
    endtask

    assign dq[7:0] = driving && !driven_mask[0] ? driven[7:0] : 8'bz;
    assign dq[15:8] = driving && !driven_mask[1] ? driven[15:8] : 8'bz;
    always @(negedge clk) begin
        driving <= drives;
        driven <= word;
        driven_mask <= mask;
    end
    always @(posedge clk) begin
        now <= now + 1;
        masked <= dm;
        leaving = leaving >> 1;
        {leaves[0], leaves[1], leaves[2]} = {leaves[1], leaves[2], leaves[3]};
        follows <= 0;
        if (follows) store(follower);
        if (selected) check(cke && now >= START, "power-up");
        case (command)
            ACTIVE: begin
                check(ready, "not started");
                check(!open[ba], "open already");
                check(now >= precharged[ba] + TRP, "tRP");
                check(now >= activated[ba] + TRC, "tRC");
                check(now >= activated_any + TRRD, "tRRD");
                check(now >= refreshed + TRFC, "tRFC");
                row[ba] <= a;
                open[ba] <= 1;
                activated[ba] <= now;
                activated_any <= now;
            end
            READ: begin
                check(open[ba], "row not open");
                check(now >= activated[ba] + TRCD, "tRCD");
                leaves[latency - 1] = words[place];
                leaving[latency - 1] = 1;
                if (pair) leaves[latency] = words[place ^ 1];
                leaving[latency] = pair;
                if (a[10]) close(ba, pair ? 2 : 1);
            end
            WRITE: begin
                check(open[ba], "row not open");
                check(now >= activated[ba] + TRCD, "tRCD");
                store(place);
                leaving = 0;
                follows <= pair;
                follower <= place ^ 1;
                if (a[10]) close(ba, TWR + (pair ? 1 : 0));
            end
            PRECHARGE:
                for (bank = 0; bank < 4; bank = bank + 1)
                    if (a[10] || ba == bank[1:0]) begin
                        check(!open[bank] || now >= activated[bank] + TRAS, "tRAS");
                        check(!open[bank] || !written[bank] || now >= written[bank] + TWR, "tWR");
                        close(bank[1:0], 0);
                    end
            REFRESH: begin
                check(open == 0, "refresh of open rows");
                for (bank = 0; bank < 4; bank = bank + 1) check(now >= precharged[bank] + TRP, "tRP");
                check(now >= refreshed + TRFC || !refreshed, "tRFC");
                refreshed <= now;
                refreshes <= refreshes + 1;
            end
            MODE: begin
                check(open == 0, "mode of open rows");
                pair <= a[2:0] == 1;
                latency <= a[6:4];
                configured <= now;
                ready <= refreshes >= 2;
                check(a[2:0] < 2 && (a[6:4] == 2 || a[6:4] == 3) && !a[3], "mode");
            end
            default: ;
        endcase
        if (selected) check(!configured || now >= configured + TMRD, "tMRD");
        // 8192 refreshes in 64 ms; a controller may be late for one, not for nine.
        if (ready) check(now < refreshed + 9 * 781, "no refresh");
        drives <= leaving[0];
        word <= leaves[0];
        mask <= masked;
    end
endmodule
