/** TCP proxy that passes, delays, holds or cuts connections. */
import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect } from "effect"

/** `silent`: holds all data until the mode changes. `refuses`: cuts all connections, and every new one. */
export type ProxyMode = "open" | "silent" | "refuses" | { readonly delayMillis: number }

export interface Proxy {
  readonly port: number
  readonly setMode: (mode: ProxyMode) => void
}

/** One direction of a connection; keeps the order of chunks across modes. */
class Direction {
  private readonly waiting: Array<{ readonly chunk: Buffer | null; readonly due: number }> = []
  private readonly from: Socket
  private readonly to: Socket
  private readonly mode: () => ProxyMode
  private timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket, mode: () => ProxyMode) {
    this.from = from
    this.to = to
    this.mode = mode
    from.on("data", (chunk) => this.add(chunk))
    from.on("close", () => this.add(null))
    from.on("error", () => undefined)
  }

  private add(chunk: Buffer | null): void {
    const mode = this.mode()
    const delay = typeof mode === "object" ? mode.delayMillis : 0
    this.waiting.push({ chunk, due: Math.max(this.waiting.at(-1)?.due ?? 0, performance.now() + delay) })
    this.go()
  }

  /** Null ends the connection. */
  go(): void {
    clearTimeout(this.timer)
    while (this.waiting.length > 0 && this.mode() !== "silent") {
      const { chunk, due } = this.waiting[0]!
      const left = due - performance.now()
      if (left > 0) {
        this.timer = setTimeout(() => this.go(), left)
        return
      }
      this.waiting.shift()
      if (chunk === null) this.to.destroy()
      else this.to.write(chunk)
    }
  }

  cut(): void {
    clearTimeout(this.timer)
    this.waiting.length = 0
    this.from.destroy()
  }
}

const listening = (server: Server, port: number) =>
  Effect.async<number>((resume) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** `targets` are tried in order for each connection. */
export const startProxy = (targets: () => ReadonlyArray<number>, port = 0) =>
  Effect.gen(function* () {
    const ways = new Set<Direction>()
    let mode: ProxyMode = "open"

    const reach = (near: Socket, [target, ...others]: ReadonlyArray<number>): void => {
      if (target === undefined) return void near.destroy()
      const far = connect(target, "127.0.0.1")
      const refused = () => reach(near, others)
      far.once("error", refused)
      far.once("connect", () => {
        far.off("error", refused)
        // The mode may have changed while connecting.
        if (near.destroyed || mode === "refuses") {
          near.destroy()
          far.destroy()
          return
        }
        const both = [new Direction(near, far, () => mode), new Direction(far, near, () => mode)]
        for (const way of both) ways.add(way)
        near.once("close", () => ways.delete(both[0]!))
        far.once("close", () => ways.delete(both[1]!))
      })
    }

    const server = createServer((near) => {
      near.on("error", () => undefined)
      if (mode === "refuses") near.destroy()
      else reach(near, targets())
    })
    const cutAll = () => ways.forEach((way) => way.cut())
    const bound = yield* Effect.acquireRelease(listening(server, port), () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        cutAll()
      })
    )
    const proxy: Proxy = {
      port: bound,
      setMode: (next) => {
        mode = next
        if (next === "refuses") cutAll()
        else ways.forEach((way) => way.go())
      }
    }
    return proxy
  })
