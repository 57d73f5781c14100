/** Large bodies leave the event loop to the requests of others. */
import { once } from "node:events"
import { connect } from "node:net"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { watchLoop } from "../../support/EventLoop.ts"
import { bodyOf, post } from "../../support/Send.ts"
import { onServer, TestServer } from "../../support/TestServer.ts"

const many = <A>(count: number, one: A) => Array<A>(count).fill(one)

const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1]))

/** Garbage is collected in this process too: the best of three is the server's own. */
const shortestBlock = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.replicateEffect(
      Effect.suspend(() => {
        const stop = watchLoop()
        return Effect.map(work, () => stop())
      }),
      3
    ),
    (blocked) => Math.min(...blocked)
  )

onServer("A large body", "memory", {}, (it) => {
  it.effect("with ten thousand mistakes is refused in a moment, by the first of them", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const refused = (path: string, body: object, first: string) =>
        shortestBlock(
          Effect.map(post(path, { ...acme.token("org-admin") }, body), (answer) => {
            expect(answer.status, answer.text.slice(0, 200)).toBe(400)
            const { message } = bodyOf(answer) as { readonly message: string }
            expect(message.startsWith(first), message).toBe(true)
            expect(message).toMatch(/; and more\.$/)
            expect(message.length).toBeLessThan(1000)
          })
        )
      const documents = { documents: many(9000, { type: "q" }) }
      expect(yield* refused(`/v1/organizations/${acme.org_id}/kyb`, documents, "documents[0].type: ")).toBeLessThan(200)
      const events = { endpoint_url: "https://shop.example", events: many(20_000, "x.y") }
      expect(yield* refused("/v1/public/webhooks", events, 'events[0]: "x.y" is not an event type')).toBeLessThan(200)
    })
  )

  it.effect("is parsed alone, so that another organisation does not wait for all that arrive at once", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer
      const { acme, globex } = yield* people
      const body = JSON.stringify({ metadata: keys })
      const request = (line: string, headers: object) => {
        const all = Object.entries({ host: "corridor.test", ...headers }).map(
          ([name, value]) => `${name}: ${value}\r\n`
        )
        return `${line} HTTP/1.1\r\n${all.join("")}\r\n`
      }
      const large = { ...acme.key, "content-type": "application/json", "content-length": body.length }
      const start = `${request("POST /v1/payments-init/initiate", large)}${body.slice(0, -1)}`
      const sockets = Array.from({ length: 40 }, () => connect(port, "127.0.0.1"))
      const other = connect(port, "127.0.0.1")
      yield* Effect.promise(() =>
        Promise.all(sockets.map((socket) => new Promise((sent) => socket.write(start, sent))))
      )
      let answered = 0
      const answers = sockets.map((socket) =>
        once(socket, "data").then(([text]) => {
          answered += 1
          return String(text)
        })
      )
      for (const socket of sockets) socket.write(body.slice(-1))
      other.write(request("GET /v1/users/me", globex.key))
      const [text] = yield* Effect.promise(() => once(other, "data"))
      const before = answered
      expect(String(text)).toMatch(/^HTTP\/1.1 200 /)
      for (const one of yield* Effect.promise(() => Promise.all(answers))) expect(one).toMatch(/^HTTP\/1.1 400 /)
      for (const socket of [...sockets, other]) socket.destroy()
      expect(before).toBeLessThan(30)
    })
  )
})
