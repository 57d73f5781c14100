/** Sends requests header for header and byte for byte, with a timeout. */
import { Agent, type IncomingHttpHeaders, request } from "node:http"

export interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body?: Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Timeout, extended while the server is slow for everybody. */
const LONGEST_MILLIS = 5000
const MOST_PATIENCE_MILLIS = 60_000

export class RawHttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #origin: URL

  constructor(origin: string) {
    this.#origin = new URL(origin)
  }

  /** The answer, or the reason why there is none. */
  send({ body, headers, method, target }: Sent): Promise<Answer | string> {
    const length = body === undefined ? [] : [["content-length", String(body.length)] as const]
    return new Promise((resolve) => {
      const outgoing = request(
        {
          host: this.#origin.hostname,
          port: this.#origin.port,
          agent: this.#agent,
          method,
          path: target,
          headers: [["host", this.#origin.host], ...headers, ...length].flat()
        },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", (error) => resolve(`the answer broke off: ${error.message}`))
          response.on("end", () => {
            clearTimeout(timer)
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString("utf8")
            })
          })
        }
      )
      let waited = 0
      const giveUp = async () => {
        waited += LONGEST_MILLIS
        if (waited < MOST_PATIENCE_MILLIS && !(await this.#isAwake()))
          return void (timer = setTimeout(giveUp, LONGEST_MILLIS))
        resolve(`no answer within ${waited / 1000} s`)
        outgoing.destroy()
      }
      let timer = setTimeout(giveUp, LONGEST_MILLIS)
      outgoing.on("error", (error) => {
        clearTimeout(timer)
        resolve(`no answer: ${error.message}`)
      })
      outgoing.end(body)
    })
  }

  /** Whether the server answers other requests at once. */
  #isAwake(): Promise<boolean> {
    const began = performance.now()
    return fetch(new URL("/readyz", this.#origin)).then(
      ({ status }) => status === 200 && performance.now() - began < 1000,
      () => false
    )
  }

  close(): void {
    this.#agent.destroy()
  }
}
