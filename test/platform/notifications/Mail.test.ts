import { createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Layer, Option, TestClock } from "effect"
import { StoresMemory } from "../../../src/app/Stores.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { mailTimeout } from "../../../src/domain/policies/PeoplePolicies.ts"
import {
  type Message,
  NotificationFailed,
  NotificationStore
} from "../../../src/platform/notifications/NotificationStore.ts"
import { Notifier } from "../../../src/platform/notifications/Notifier.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"
import { bodyOf, headersOf, mailServer } from "./MailServer.ts"

const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "f".repeat(64), KYB_WEBHOOK_SECRET: "a secret of the test" }

const notifier = (variables: Variables) =>
  Notifier.layer.pipe(
    Layer.provideMerge(StoresMemory),
    Layer.provide(Ids.layer),
    Layer.provide(testSettings(variables))
  )

const send = (about: Partial<Message> = {}) =>
  Effect.flatMap(Notifier, (it) =>
    it.send({
      to: "ada@example.com",
      subject: "Please verify",
      text: "Dear Ada,\n.\nplease verify.",
      org_id: null,
      kind: "verification_request",
      priority: "high",
      ...about
    })
  )

const inOutbox = Effect.flatMap(NotificationStore, (store) =>
  store.list(Option.none(), { after: Option.none(), take: 10 })
)

describe("mail over SMTP", () => {
  it.scopedLive("arrives with its sender, subject, text and priority, in live and in sandbox mode", () =>
    Effect.gen(function* () {
      for (const mode of [live, {}]) {
        const { received, url } = yield* mailServer()
        const settings = { ...mode, SMTP_URL: url, NOTIFY_FROM: "Kilimo <pay@kilimo.example>" }
        const kept = yield* Effect.zipRight(send(), inOutbox).pipe(Effect.provide(notifier(settings)))
        expect(kept).toEqual([])
        expect(received).toHaveLength(1)
        const [mail] = received
        expect(mail).toMatchObject({ from: "pay@kilimo.example", to: ["ada@example.com"] })
        const headers = headersOf(mail!)
        expect(headers.get("from")).toBe("Kilimo <pay@kilimo.example>")
        expect(headers.get("to")).toBe("ada@example.com")
        expect(headers.get("subject")).toBe("Please verify")
        expect(headers.get("auto-submitted")).toBe("auto-generated")
        expect(bodyOf(mail!).trim()).toBe("Dear Ada,\r\n.\r\nplease verify.")
      }
    })
  )

  it.scopedLive("says how urgent it is in the headers that mail programs read", () =>
    Effect.gen(function* () {
      const { received, url } = yield* mailServer()
      const wanted = [
        ["low", "5", "low"],
        ["medium", "3", "normal"],
        ["high", "2", "high"],
        ["urgent", "1", "high"]
      ] as const
      yield* Effect.forEach(wanted, ([priority]) => send({ priority })).pipe(
        Effect.provide(notifier({ ...live, SMTP_URL: url }))
      )
      const seen = received.map(headersOf).map((headers) => [headers.get("x-priority"), headers.get("importance")])
      expect(seen).toEqual(wanted.map(([, number, word]) => [number, word]))
    })
  )

  it.scopedLive("a subject cannot add headers, nor an address another recipient", () =>
    Effect.gen(function* () {
      const { received, url } = yield* mailServer()
      const evil = [
        { subject: "Hi\r\nBcc: eve@example.com\r\n\r\nBody of Eve" },
        { text: "x\r\n.\r\nMAIL FROM:<eve@example.com>\r\n" },
        { to: "ada,eve@example.com" },
        { to: '"ada"<eve@example.com' },
        { to: "eve@example.com\r\nRCPT TO:<eve@example.com>" }
      ]
      const sent = yield* Effect.forEach(evil, (about) => Effect.either(send(about))).pipe(
        Effect.provide(notifier({ ...live, SMTP_URL: url }))
      )
      expect(sent.map(Either.isRight)).toEqual([true, true, false, false, false])
      expect(received).toHaveLength(2)
      for (const mail of received) {
        expect(mail.to).toHaveLength(1)
        expect(headersOf(mail).has("bcc")).toBe(false)
        expect(bodyOf(mail)).not.toContain("Body of Eve")
      }
      expect(received.flatMap(({ to }) => to)).not.toContain("eve@example.com")
      expect(headersOf(received[0]!).get("subject")).toBe("Hi Bcc: eve@example.com Body of Eve")
    })
  )

  it.scopedLive("fails with the server's own words when it is refused, and with no server at all", () =>
    Effect.gen(function* () {
      const refusing = yield* mailServer({ onRcptTo: (_address, _session, done) => done(new Error("No such mailbox")) })
      const gone = yield* Effect.scoped(mailServer())
      for (const [url, reason] of [
        [refusing.url, "No such mailbox"],
        [gone.url, "ECONNREFUSED"]
      ] as const) {
        const failed = yield* Effect.flip(send()).pipe(Effect.provide(notifier({ ...live, SMTP_URL: url })))
        expect(failed).toBeInstanceOf(NotificationFailed)
        expect(failed.message).toContain(reason)
      }
      expect(refusing.received).toEqual([])
    })
  )

  it.scoped("fails when the server hangs, after the time of the policies and no sooner", () =>
    Effect.gen(function* () {
      const connected = yield* Deferred.make<void>()
      const sockets: Array<Socket> = []
      const port = yield* Effect.acquireRelease(
        Effect.async<{ readonly port: number; readonly server: ReturnType<typeof createServer> }>((resume) => {
          const server = createServer((socket) => {
            sockets.push(socket.on("error", () => socket.destroy()))
            Deferred.unsafeDone(connected, Effect.void)
          }).listen(0, "127.0.0.1", () => {
            const address = server.address()
            if (typeof address === "object" && address !== null) resume(Effect.succeed({ port: address.port, server }))
          })
        }),
        ({ server }) =>
          Effect.async<void>((resume) => {
            for (const socket of sockets) socket.destroy()
            server.close(() => resume(Effect.void))
          })
      ).pipe(Effect.map((it) => it.port))
      const sending = yield* Effect.flip(send()).pipe(
        Effect.provide(notifier({ ...live, SMTP_URL: `smtp://127.0.0.1:${port}` })),
        Effect.fork
      )
      yield* Deferred.await(connected)
      yield* TestClock.adjust("9 seconds")
      expect(sending.unsafePoll()).toBeNull()
      yield* TestClock.adjust(mailTimeout)
      const failed = yield* Fiber.join(sending)
      expect(failed).toBeInstanceOf(NotificationFailed)
      expect(failed.message).toContain("within 10s")
    })
  )

  it.effect("live mode without SMTP_URL starts, and every message fails with its name", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(send())
      expect(failed).toBeInstanceOf(NotificationFailed)
      expect(failed.message).toContain("SMTP_URL")
      expect(yield* inOutbox).toEqual([])
    }).pipe(Effect.provide(notifier(live)))
  )
})
