/**
 * A keep-alive connection on a bare socket, one request at a time: a full client would take CPU from the measured
 * servers. Needs a Content-Length.
 */
import { connect, type Socket } from "node:net"

const HEAD_END = "\r\n\r\n"
const LENGTH = /\r\ncontent-length: *(\d+)/i

export interface Answer {
  readonly status: number
  readonly body: string
}

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

export class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk) => this.#onData(chunk))
    socket.on("error", (error) => this.#fail(error))
    socket.on("close", () => this.#fail(new Error("the server closed a connection")))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1" }, () => resolve(new Connection(socket)))
      socket.once("error", reject)
    })
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const headEnd = this.#received.indexOf(HEAD_END)
    if (headEnd === -1) return
    const head = this.#received.toString("latin1", 0, headEnd)
    const length = LENGTH.exec(head)?.[1]
    if (length === undefined) return this.#fail(new Error(`an answer has no Content-Length:\n${head}`))
    const bodyStart = headEnd + HEAD_END.length
    const bodyEnd = bodyStart + Number(length)
    if (this.#received.length < bodyEnd) return
    const body = this.#received.toString("utf8", bodyStart, bodyEnd)
    this.#received = this.#received.subarray(bodyEnd)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: Number(head.slice(9, 12)), body })
  }

  #fail(error: Error): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(error)
  }
}
