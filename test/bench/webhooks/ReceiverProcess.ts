/** The process of the receivers, as effects. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { Order, Told } from "./receiver.ts"

export const startReceiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = fork(fileURLToPath(new URL("./receiver.mjs", import.meta.url)), { execArgv: [] })
    const told = <A extends Told>(key: A extends unknown ? keyof A : never) =>
      new Promise<A>((done) => {
        const listen = (message: unknown) => {
          if (!(key in (message as object))) return
          child.off("message", listen)
          done(message as A)
        }
        child.on("message", listen)
      })
    const order = (what: Order): void => void child.send(what)
    const { port } = await told<{ readonly port: number }>("port")
    return {
      child,
      /** The `nth` host of the loopback. */
      urlOf: (nth: number, path: string) => `http://127.0.${Math.trunc(nth / 250)}.${1 + (nth % 250)}:${port}${path}`,
      receiving: (count: number) => {
        const all = told<{ readonly received: number }>("received")
        order({ count })
        return all
      },
      neighbour: () => told<{ readonly arrivedAt: number }>("arrivedAt"),
      cpuMicros: async () => {
        const answer = told<{ readonly cpuMicros: number }>("cpuMicros")
        order("cpu")
        return (await answer).cpuMicros
      }
    }
  }),
  ({ child }) => Effect.sync(() => child.kill())
)

export type Receiver = Effect.Effect.Success<typeof startReceiver>
