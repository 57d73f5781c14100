/** A proxy to PostgreSQL whose connections can go silent: open, but without answers. */
import { connect, createServer, type Socket } from "node:net"
import { Effect, Layer, Redacted } from "effect"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"

interface Line {
  readonly sockets: readonly [Socket, Socket]
  silent: boolean
}

export interface SilentProxy {
  readonly url: string
  readonly speaking: () => number
  /** Silences this many connections for good; without a number all, and every new one. */
  readonly silence: (some?: number) => void
  /** New connections work again. */
  readonly speak: () => void
}

export const makeSilentProxy = (target: string) =>
  Effect.acquireRelease(
    Effect.async<SilentProxy & { readonly close: () => void }>((resume) => {
      const { hostname, port } = new URL(target)
      const lines = new Set<Line>()
      let silent = false
      const server = createServer((near) => {
        const far = connect(Number(port), hostname)
        const line: Line = { sockets: [near, far], silent }
        lines.add(line)
        for (const [from, to] of [
          [near, far],
          [far, near]
        ] as const) {
          from.on("data", (chunk) => void (line.silent || to.write(chunk)))
          from.on("error", () => to.destroy())
          from.on("close", () => {
            lines.delete(line)
            to.destroy()
          })
        }
      })
      server.listen(0, "127.0.0.1", () => {
        const at = server.address()
        const url = new URL(target)
        url.hostname = "127.0.0.1"
        url.port = String(typeof at === "object" && at !== null ? at.port : 0)
        const speaking = () => [...lines].filter((line) => !line.silent)
        resume(
          Effect.succeed({
            url: url.toString(),
            speaking: () => speaking().length,
            silence: (some) => {
              if (some === undefined) silent = true
              for (const line of speaking().slice(0, some)) line.silent = true
            },
            speak: () => void (silent = false),
            close: () => {
              server.close()
              for (const { sockets } of lines) for (const socket of sockets) socket.destroy()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** DatabaseServer through a proxy, which `use` receives. */
export const proxied = (use: (proxy: SilentProxy) => void) =>
  Layer.scoped(
    DatabaseServer,
    Effect.flatMap(DatabaseServer, (server) =>
      Effect.map(makeSilentProxy(Redacted.value(server.url)), (proxy) => {
        use(proxy)
        return { ...server, url: Redacted.make(proxy.url) }
      })
    )
  )
