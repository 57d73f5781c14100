/**
 * Gathers what concurrent fibers ask for into one statement: whatever arrives while a batch is under way goes out with
 * the next one, so that an idle service answers at once and a busy one shares its round trips.
 */
import { Effect, Exit, FiberSet, type Scope } from "effect"
import { InTransaction } from "./InTransaction.ts"

interface Waiting<In, Out> {
  readonly item: In
  readonly answer: (exit: Exit.Exit<Out>) => void
}

/**
 * `run` answers in the order it was asked. When it fails, every item is tried alone: one that cannot be done does not
 * take its neighbours with it. Inside a transaction nothing is gathered, since a batch has a connection of its own.
 */
export const batched = <In, Out>(
  run: (items: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>>,
  { largest = 64, underWay = 1 }: { readonly largest?: number; readonly underWay?: number } = {}
): Effect.Effect<(item: In) => Effect.Effect<Out>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    const queue: Array<Waiting<In, Out>> = []
    let running = 0

    /** What `run` throws before it is an effect fails the batch like anything else, and never leaves anyone waiting. */
    const runAll = (items: ReadonlyArray<In>) => Effect.suspend(() => run(items))

    const alone = (item: In): Effect.Effect<Out> => Effect.map(runAll([item]), ([out]) => out as Out)

    const flush = (batch: ReadonlyArray<Waiting<In, Out>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(runAll(batch.map(({ item }) => item))), (exit) => {
        if (Exit.isSuccess(exit)) {
          batch.forEach(({ answer }, index) => answer(Exit.succeed(exit.value[index] as Out)))
          return Effect.void
        }
        const [only, ...others] = batch
        if (only !== undefined && others.length === 0) {
          only.answer(Exit.failCause(exit.cause))
          return Effect.void
        }
        return Effect.forEach(batch, ({ answer, item }) => Effect.map(Effect.exit(alone(item)), answer), {
          discard: true
        })
      })

    const drain: Effect.Effect<void> = Effect.suspend(() => {
      const batch = queue.splice(0, largest)
      if (batch.length > 0) return Effect.zipRight(flush(batch), drain)
      running -= 1
      return Effect.void
    })

    const gathered = (item: In): Effect.Effect<Out> =>
      Effect.async((answer) => {
        queue.push({ item, answer })
        if (running >= underWay) return
        running += 1
        fork(drain)
      })

    return (item) => Effect.flatMap(InTransaction, (inside) => (inside ? alone(item) : gathered(item)))
  })

/** For reads that many ask alike: the same question is put once to a batch, and its answer shared. */
export const batchedReads = <In, Out>(
  keyOf: (item: In) => string,
  run: (items: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>>
): Effect.Effect<(item: In) => Effect.Effect<Out>, never, Scope.Scope> =>
  batched((items: ReadonlyArray<In>) => {
    const places = new Map<string, number>()
    const different: Array<In> = []
    const placeOf = items.map((item) => {
      const key = keyOf(item)
      const place = places.get(key) ?? different.push(item) - 1
      places.set(key, place)
      return place
    })
    return Effect.map(run(different), (answers) => placeOf.map((place) => answers[place] as Out))
  })
