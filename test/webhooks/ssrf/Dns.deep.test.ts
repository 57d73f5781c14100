/** Names looked up at a real name server on loopback, and in a hosts file. */
import { stat } from "node:fs/promises"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeDns, parseHosts } from "../../../src/webhooks/ssrf/Dns.ts"
import { untilTrue } from "../delivery/Receiver.ts"
import { newNameServer } from "./NameServer.ts"

const nothing = new Map<string, ReadonlyArray<string>>()

describe("A name", () => {
  it.scopedLive("has all the addresses that the name server gives it, of both kinds", () =>
    Effect.gen(function* () {
      const { server } = yield* newNameServer({
        "both.example": { a: ["93.184.216.34", "93.184.216.35"], aaaa: ["2606:2800:220:1:0:0:0:1"] },
        "old.example": { a: ["93.184.216.34"] },
        "new.example": { aaaa: ["2606:2800:220:1:0:0:0:1"] }
      })
      const { lookup } = makeDns(nothing, [server])
      expect(yield* lookup("both.example")).toEqual(["93.184.216.34", "93.184.216.35", "2606:2800:220:1::1"])
      expect(yield* lookup("Old.Example.")).toEqual(["93.184.216.34"])
      expect(yield* lookup("new.example")).toEqual(["2606:2800:220:1::1"])
    })
  )

  it.scopedLive("that does not exist, or that has no address, is not resolved", () =>
    Effect.gen(function* () {
      const { server } = yield* newNameServer({
        "nobody.example": { refusal: "NXDOMAIN" },
        "empty.example": {},
        "broken.example": { refusal: "SERVFAIL" }
      })
      const { lookup } = makeDns(nothing, [server])
      expect(yield* Effect.flip(lookup("nobody.example"))).toMatchObject({ reason: "ENOTFOUND" })
      expect(yield* Effect.flip(lookup("empty.example"))).toMatchObject({ reason: "ENOTFOUND" })
      expect(yield* Effect.flip(lookup("broken.example"))).toMatchObject({ reason: "ESERVFAIL" })
    })
  )

  it.scopedLive("of which only a part could be looked up is not resolved: the rest could not be checked", () =>
    Effect.gen(function* () {
      const record = { a: ["93.184.216.34"], aaaa: ["0:0:0:0:0:0:0:1"] }
      const { server } = yield* newNameServer({
        "half.example": { ...record, silentAbout: "aaaa" },
        "other.example": { ...record, silentAbout: "a" }
      })
      const { lookup } = makeDns(nothing, [server])
      const refusals = yield* Effect.all([Effect.flip(lookup("half.example")), Effect.flip(lookup("other.example"))], {
        concurrency: 2
      })
      expect(refusals).toMatchObject([{ reason: "ETIMEOUT" }, { reason: "ETIMEOUT" }])
    })
  )

  it.scopedLive("that is in the hosts file, or is localhost, is asked of no server", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* newNameServer()
      const { lookup } = makeDns(parseHosts("10.1.2.3 inside.example"), [server])
      expect(yield* lookup("INSIDE.example")).toEqual(["10.1.2.3"])
      expect(yield* lookup("localhost")).toEqual(["127.0.0.1", "::1"])
      expect(yield* lookup("app.localhost.")).toEqual(["127.0.0.1", "::1"])
      expect(asked).toEqual([])
      expect(yield* makeDns(parseHosts("127.0.0.2 localhost")).lookup("localhost")).toEqual(["127.0.0.2"])
    })
  )

  it.scopedLive("that is not answered holds up no other, and none of the threads that the process shares", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* newNameServer({ "shop.example": { a: ["93.184.216.34"] } })
      const { lookup } = makeDns(nothing, [server])
      const silent = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, nth) => `silent-${nth}.example`),
        (name) => Effect.fork(Effect.flip(lookup(name)))
      )
      // Many more than there are threads.
      yield* untilTrue(() => new Set(asked).size > 50)
      expect(yield* lookup("shop.example")).toEqual(["93.184.216.34"])
      yield* Effect.promise(() => stat("/"))
      const still = yield* Effect.forEach(silent, Fiber.poll)
      expect(
        still.some((exit) => exit._tag === "None"),
        "while they are still being asked for"
      ).toBe(true)
      const refusals = yield* Fiber.join(Fiber.all(silent))
      expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(["ETIMEOUT"]))
    })
  )

  it.scopedLive("is not asked for any longer when no caller waits for it", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* newNameServer()
      const waiting = yield* Effect.fork(makeDns(nothing, [server]).lookup("silent.example"))
      yield* untilTrue(() => asked.length >= 2)
      yield* Fiber.interrupt(waiting)
      expect(asked).toHaveLength(2)
    })
  )
})

describe("parseHosts", () => {
  it("takes addresses and all their names, and leaves out comments and zones", () => {
    const text =
      "# the machine\n127.0.0.1\tlocalhost vm  # itself\n::1 LocalHost\nfe80::1%lo0 localhost\nnonsense here\n\n"
    expect(parseHosts(text)).toEqual(
      new Map([
        ["localhost", ["127.0.0.1", "::1"]],
        ["vm", ["127.0.0.1"]]
      ])
    )
  })
})
