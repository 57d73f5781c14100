/**
 * All receivers in one process, so that their CPU is counted apart. Parses only the end of a request. `/hang` never
 * answers; `/neighbour` reports the time of arrival.
 */
import { type AddressInfo, createServer, type Socket } from "node:net"

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
const HEAD_END = "\r\n\r\n"
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i

export type Order = { readonly count: number } | "cpu"
export type Reported =
  | { readonly port: number }
  | { readonly received: number }
  | { readonly arrivedAt: number }
  | { readonly cpuMicros: number }

const report = (reported: Reported): void => void process.send?.(reported)

let received = 0
let wanted = 0

const answer = (socket: Socket, target: string): void => {
  if (target === "/hang") return
  socket.write(ANSWER)
  if (target === "/neighbour") return report({ arrivedAt: performance.timeOrigin + performance.now() })
  received += 1
  if (received !== wanted) return
  report({ received })
}

const serve = (socket: Socket): void => {
  socket.setNoDelay(true)
  let unread = ""
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    unread += chunk.toString("latin1")
    for (;;) {
      const head = unread.indexOf(HEAD_END)
      if (head === -1) return
      const end = head + HEAD_END.length + Number(LENGTH.exec(unread.slice(0, head + 2))?.[1] ?? 0)
      if (unread.length < end) return
      const target = unread.slice(unread.indexOf(" ") + 1, unread.indexOf(" HTTP/"))
      unread = unread.slice(end)
      answer(socket, target)
    }
  })
}

process.on("message", (order: Order) => {
  if (order === "cpu") {
    const { system, user } = process.cpuUsage()
    return report({ cpuMicros: system + user })
  }
  received = 0
  wanted = order.count
})
process.on("disconnect", () => process.exit())

const server = createServer(serve)
// Every loopback address is another host.
server.listen({ port: 0, host: "0.0.0.0", backlog: 4096 }, () =>
  report({ port: (server.address() as AddressInfo).port })
)
