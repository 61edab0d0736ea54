"""A GPU on a board, reached over a serial line (`docs/reference/uart.md`).

=============  ==================================================================
``transport``  a serial device: bytes out, bytes in
``frames``     requests and answers as bytes
``link``       requests that are answered, whatever the line does to them
``board``      registers and memory of a board
``programs``   runs a `Job`
``lists``      runs a `DrawJob`
=============  ==================================================================
"""
