/** A way to a server that can fall silent: connections stay open, and nothing comes through any more. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface SilentProxy {
  /** The same URL by way of the proxy. */
  readonly url: string
  readonly fallSilent: () => void
  readonly close: () => void
}

export const silentProxy = async (to: string): Promise<SilentProxy> => {
  const target = new URL(to)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname)
    for (const [from, into] of [
      [inner, outer],
      [outer, inner]
    ] as const) {
      sockets.add(from)
      from.on("error", () => into.destroy())
      from.on("close", () => into.destroy())
      from.on("data", (bytes) => isSilent || into.write(bytes))
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(to)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    fallSilent: () => (isSilent = true),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
