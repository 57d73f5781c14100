/** What the library does for whoever looks at a program that runs for long, and what many short runs would only pay for. */
import { GlobalValue } from "effect"

/** A traced function takes a stack each time that it is called, of which nobody here makes a trace. */
const withoutStacks = <A>(run: () => A): A => {
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")!
  Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true })
  try {
    return run()
  } finally {
    Object.defineProperty(Error, "stackTraceLimit", before)
  }
}

/** All fibers that run, as the library knows them. */
const everybody = GlobalValue.globalValue<{ readonly roots: Set<unknown> }>(
  Symbol.for("effect/FiberScope/Global"),
  () => {
    throw new Error("the library keeps its fibers elsewhere")
  }
)

/** Whoever was never interrupted is kept for ever, and all of a world with it: nobody interrupts the fibers of a dead machine. */
const withoutRoots = <A>(run: () => A): A => {
  const { roots } = everybody
  const before = new Set(roots)
  try {
    return run()
  } finally {
    for (const fiber of roots) if (!before.has(fiber)) roots.delete(fiber)
  }
}

export const unburdened = <A>(run: () => A): A => withoutStacks(() => withoutRoots(run))
