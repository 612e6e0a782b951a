"""A command for gdb that lists the goroutines that live on stacks of this module: green
threads, running or not, and suspended coroutines, with their frames.

    gdb -p PID -ex 'source docs/greenthreads.py' -ex 'info greenthreads'

Such a goroutine is known by g.stackguard1: the address of its asm.Context, where an
ordinary one has all ones. A suspended one goes on at g.sched.pc with g.sched.sp, from
where the frames are followed by their saved frame pointers.
"""

import gdb

ALL_ONES = (1 << 64) - 1
DEAD = 6


def word(address):
    memory = gdb.selected_inferior().read_memory(address, 8)
    return int.from_bytes(memory.tobytes(), "little")


def function(pc):
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block.function.print_name if block else hex(pc)


class GreenThreads(gdb.Command):
    """List green threads and coroutines: the number of the goroutine, the name, the frames."""

    def __init__(self):
        super().__init__("info greenthreads", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        context = gdb.lookup_type("greenthread/asm.Context").pointer()
        allgs = gdb.parse_and_eval("'runtime.allgs'")
        for i in range(int(allgs["len"])):
            g = allgs["array"][i]
            mark = int(g["stackguard1"])
            if mark in (0, ALL_ONES) or int(g["atomicstatus"]["value"]) & 0xFFF == DEAD:
                continue
            c = gdb.Value(mark).cast(context).dereference()
            length = int(c["name"]["len"])
            name = ""
            if length:
                name = gdb.selected_inferior().read_memory(int(c["name"]["str"]), length).tobytes().decode()
            waiting = int(g["atomicstatus"]["value"]) & 0xFFF == 4
            print("goroutine %d %r: %s" % (int(g["goid"]), name, "suspended" if waiting else "running"))
            if waiting:
                self.frames(g["sched"], int(c["top"]))

    def frames(self, sched, top):
        pc, bp = int(sched["pc"]), int(sched["bp"])
        for _ in range(50):
            print("\t%s" % function(pc - 1))
            if not int(sched["sp"]) <= bp < top:
                return
            pc, bp = word(bp + 8), word(bp)


GreenThreads()
