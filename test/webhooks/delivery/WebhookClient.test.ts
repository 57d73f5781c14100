/** One request to a receiver, over real sockets. */
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { Dns } from "../../../src/webhooks/ssrf/Dns.ts"
import { ownTime } from "../../support/OwnTime.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"
import { type Answering, newReceiver, untilTrue, withStatus } from "./Receiver.ts"

const names: Record<string, ReadonlyArray<string>> = {
  "hooks.example": ["127.0.0.1"],
  "rebound.example": ["127.0.0.1", "10.0.0.1"],
  "inside.example": ["10.0.0.1"]
}

let lookups: Array<string> = []

const dns = Layer.succeed(Dns, {
  lookup: (name) =>
    name === "slow.example"
      ? Effect.never
      : Effect.sync(() => {
          lookups.push(name)
          return names[name] ?? []
        })
})

const client = (variables: Variables) =>
  WebhookClient.layer.pipe(Layer.provide(testSettings(variables)), Layer.provide(dns))

const post = (url: string, body = "{}") =>
  Effect.flatMap(WebhookClient, (hooks) => hooks.post({ url, headers: { "content-type": "application/json" }, body }))

const reason = (url: string) => Effect.map(Effect.flip(post(url)), ({ message }) => message)

const options = { excludeTestServices: true, timeout: "30 seconds" } as const

layer(client({}), options)("HookClient in sandbox mode", (it) => {
  it.scoped("sends the exact bytes and returns the answer", () =>
    Effect.gen(function* () {
      const receiver = yield* newReceiver((response) => response.writeHead(202).end("thank you"))
      const body = '{"amount": 1500.00, "note":"Grüße ☃"}'
      expect(yield* post(`${receiver.url}?a=1`, body)).toEqual({ status: 202, text: "thank you" })
      expect(receiver.hooks).toMatchObject([{ path: "/hooks?a=1", body }])
    })
  )

  it.scoped("connects to the address that was checked, under the name that was given", () =>
    Effect.gen(function* () {
      lookups = []
      const receiver = yield* newReceiver()
      yield* post(`http://hooks.example:${receiver.port}/a`)
      expect(receiver.hooks[0]?.headers.host).toBe(`hooks.example:${receiver.port}`)
      expect(lookups).toEqual(["hooks.example"])
    })
  )

  it.scoped("refuses addresses that are not allowed before it connects", () =>
    Effect.gen(function* () {
      const receiver = yield* newReceiver()
      const refused = [
        `http://rebound.example:${receiver.port}/`,
        `http://inside.example:${receiver.port}/`,
        `https://hooks.example:${receiver.port}/`,
        `https://127.0.0.1:${receiver.port}/`,
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/",
        "http://93.184.216.34/"
      ]
      for (const url of refused) {
        const words = yield* reason(url)
        expect(words, url).toMatch(/^endpoint_url (is not on the public internet|must start with https)/)
        expect(words).not.toContain("10.0.0.1")
      }
      expect(receiver.hooks).toEqual([])
      expect(yield* reason("http://nowhere.example/")).toBe("the name nowhere.example has no address")
    })
  )

  it.scoped("does not follow a redirect", () =>
    Effect.gen(function* () {
      const target = yield* newReceiver()
      const receiver = yield* newReceiver(withStatus(307, { location: target.url }))
      expect(yield* post(receiver.url)).toMatchObject({ status: 307 })
      expect(target.hooks).toEqual([])
    })
  )

  it.scoped("reads 16 KiB and no more", () =>
    Effect.gen(function* () {
      let closed = false
      const endless = yield* newReceiver((response) => {
        response.writeHead(200)
        response.on("close", () => (closed = true))
        const more = () => {
          while (!closed && response.write("x".repeat(1024)));
        }
        response.on("drain", more)
        more()
      })
      const answer = yield* post(endless.url)
      expect(answer.status).toBe(200)
      expect(answer.text).toBe("x".repeat(16 * 1024))
      yield* untilTrue(() => closed)
    })
  )

  it.scoped("says why there was no connection", () =>
    Effect.gen(function* () {
      expect(yield* reason("http://127.0.0.1:1/")).toBe("the connection failed (ECONNREFUSED)")
      const rude = yield* newReceiver((response) => response.socket?.destroy())
      expect(yield* reason(rude.url)).toMatch(/^the connection failed \((UND_ERR_SOCKET|ECONNRESET)\)$/)
    })
  )

  it.scoped("lets go of the connection when it is interrupted", () =>
    Effect.gen(function* () {
      let closed = false
      const receiver = yield* newReceiver((response) => response.on("close", () => (closed = true)))
      const sending = yield* Effect.fork(post(receiver.url))
      yield* untilTrue(() => receiver.hooks.length === 1)
      yield* Fiber.interrupt(sending)
      yield* untilTrue(() => closed)
    })
  )
})

layer(client({ WEBHOOK_TIMEOUT: "400 millis" }), options)("HookClient with little patience", (it) => {
  it.scoped("gives up on time, whatever part is slow", () =>
    Effect.gen(function* () {
      const silent = yield* newReceiver(() => undefined)
      const working = yield* newReceiver((response) => response.writeProcessing())
      for (const url of [silent.url, working.url, "http://slow.example/"]) {
        const [began, took] = [performance.now(), ownTime()]
        expect(yield* reason(url)).toBe("no answer within 400ms")
        expect(performance.now() - began).toBeGreaterThan(350)
        expect(took()).toBeLessThan(3_000)
      }
    })
  )

  it.scoped("takes a status that comes in time, though its body goes on after it", () =>
    Effect.gen(function* () {
      const dripping = yield* newReceiver((response) => {
        response.writeHead(200).write("a")
        const timer = setInterval(() => response.write("b"), 20)
        response.on("close", () => clearInterval(timer))
      })
      expect(yield* post(dripping.url)).toMatchObject({ status: 200, text: expect.stringMatching(/^ab+$/) })
    })
  )
})

/** Far more than the tests may take: nothing in them ends because the patience did. */
layer(client({ WEBHOOK_TIMEOUT: "10 minutes" }), options)("HookClient and a body that never ends", (it) => {
  const endless =
    (status: number, closed: () => void): Answering =>
    (response) => {
      response.on("close", closed)
      response.writeHead(status).flushHeaders()
    }

  for (const status of [200, 299, 302, 410, 500]) {
    it.scoped(`the status ${status} decides, and the connection does not stay`, () =>
      Effect.gen(function* () {
        let closed = 0
        const receiver = yield* newReceiver(endless(status, () => (closed += 1)))
        const answers = yield* Effect.forEach([1, 2, 3, 4, 5], () => post(receiver.url), { concurrency: "unbounded" })
        for (const answer of answers) expect(answer).toEqual({ status, text: "" })
        yield* untilTrue(() => closed === 5)
        receiver.answer(withStatus(200))
        expect(yield* post(receiver.url)).toMatchObject({ status: 200 })
      })
    )
  }

  it.scoped("a status counts though the connection breaks after it", () =>
    Effect.gen(function* () {
      const rude = yield* newReceiver((response) => {
        response.writeHead(200, { "content-length": "100" }).write("half", () => response.socket?.destroy())
      })
      expect(yield* post(rude.url)).toEqual({ status: 200, text: "half" })
    })
  )

  it.scoped("a body that ends leaves its connection to those that follow", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const receiver = yield* newReceiver((response) => {
        ports.add(response.socket?.remotePort)
        response.writeHead(200).write("thank ")
        setTimeout(() => response.end("you"), 20)
      })
      for (const _ of [1, 2, 3, 4, 5, 6, 7, 8]) {
        expect(yield* post(receiver.url)).toEqual({ status: 200, text: "thank you" })
      }
      expect(ports.size).toBeLessThanOrEqual(2)
    })
  )
})

const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "f".repeat(64), KYB_WEBHOOK_SECRET: "a secret of the test" }

layer(client(live), options)("HookClient in live mode", (it) => {
  it.scoped("sends nothing to loopback", () =>
    Effect.gen(function* () {
      const receiver = yield* newReceiver()
      expect(yield* reason(receiver.url)).toBe("endpoint_url must start with https://")
      expect(yield* reason("https://127.0.0.1/")).toMatch("is not on the public internet")
      expect(yield* reason("https://hooks.example/")).toMatch("is not on the public internet")
      expect(receiver.hooks).toEqual([])
    })
  )
})
