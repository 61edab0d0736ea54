"""Campaigns: random programs, frames, lookups, set-ups, lists and pairs by the million, in lockstep, on as many machines as there are.

A campaign is a row of jobs, each of known seed and some seconds long. Its settings decide all of them, and what is covered by the
first jobs decides of what later ones have more; so the same campaign is the same jobs, whoever does them, in whatever order.

``job``                what a campaign is, its jobs, and what becomes of one
``kind``               a kind of campaign
``kinds``              all of them
``programs``           random programs
``instruction_cells``  what a generator is to make so that it reaches a cell
``frames``             random frames
``textures``           lookups of random textures
``setups``             random set-up words of the VPM and its DMA
``lists``              binning lists that are damaged
``arithmetic``         pairs of operands of both ALUs
``steering``           which cells are rare
``worker``             what a worker does: a job
``store``              the file of a campaign
``run``                who does which job, and what becomes of it
``cluster``            workers of Dask
``report``             what a file says, as text and in Markdown
``page``               the same as a page with plots
"""
