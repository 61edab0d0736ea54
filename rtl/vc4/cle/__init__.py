"""The control list executor (guide, section 8; pipeline facts, 1).

``list_thread``    a thread: carries out what a list says, and hands records to its pipeline
``record_reader``  a record at a time out of the bytes of a list
``list_fetch``     these bytes, ahead of who reads them
``structs``        what passes between them
"""
