import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Mode } from "../../../src/platform/config/Settings.ts"
import { Dns } from "../../../src/webhooks/ssrf/Dns.ts"
import { resolveChecked } from "../../../src/webhooks/ssrf/EndpointUrl.ts"
import { makeNames, type Names } from "./FakeResolver.ts"

const ask = (url: string, mode: Mode, names: Names = makeNames()) =>
  Effect.either(Effect.provideService(resolveChecked(url, mode), Dns, names))

const publicName = () => {
  const names = makeNames()
  names.answer("shop.example", ["93.184.216.34", "2606:2800:220:1::1"])
  return names
}

/** URLs that a hostile caller might register, in all spellings. */
const hostile = [
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0177.0.0.1/",
  "https://0x7f000001/",
  "https://0x7f.0.0x1/",
  "https://%31%32%37.0.0.1/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127.0.0.1./",
  "https://0/",
  "https://[::]/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://[2002:a9fe:a9fe::]/",
  "https://[fe80::1]/",
  "https://[fe80::1%25eth0]/",
  "https://[fd00:ec2::254]/",
  "https://169.254.169.254/latest/meta-data/",
  "https://0xa9fea9fe/",
  "https://2852039166/",
  "https://100.64.0.1/",
  "https://10.0.0.1/",
  "https://192.168.0.1/",
  "https://172.16.0.1/",
  "https://192.0.2.1/",
  "https://198.51.100.1/",
  "https://203.0.113.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://user@shop.example/",
  "https://user:password@shop.example/",
  "https://:password@shop.example/",
  "https://@shop.example/",
  "https://shop.example@127.0.0.1/",
  "https://shop.example\\@127.0.0.1/",
  "https://shop.example/#here",
  "https://shop.example/#",
  "https:\\\\shop.example/",
  "https:shop.example",
  "https:///shop.example",
  "https://shop.example/\n",
  " https://shop.example/",
  "ht\ttps://shop.example/",
  "https://shop.example:0/",
  "https://shop.example:99999/",
  "https://",
  "//shop.example/",
  "shop.example",
  "",
  "ftp://shop.example/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "javascript:alert(1)",
  "ws://shop.example/",
  "http://shop.example/",
  "http://8.8.8.8/",
  "http://10.0.0.1/",
  "http://169.254.169.254/",
  "http://[::ffff:169.254.169.254]/",
  "http://0.0.0.0/",
  `https://shop.example/${"x".repeat(2000)}`
]

describe("resolveChecked", () => {
  it.effect.each(hostile)("refuses %j in both modes", (url) =>
    Effect.gen(function* () {
      for (const mode of ["sandbox", "live"] as const) {
        expect(Either.isLeft(yield* ask(url, mode, publicName())), mode).toBe(true)
      }
    })
  )

  it.effect("takes a public name, and gives all its addresses", () =>
    Effect.gen(function* () {
      for (const mode of ["sandbox", "live"] as const) {
        const { addresses, url } = yield* Effect.flatten(ask("https://shop.example/hook?a=1", mode, publicName()))
        expect(url.href).toBe("https://shop.example/hook?a=1")
        expect(addresses).toEqual([
          { address: "93.184.216.34", family: 4 },
          { address: "2606:2800:220:1::1", family: 6 }
        ])
      }
    })
  )

  it.effect("takes only ports 443 and 8443 in live mode", () =>
    Effect.gen(function* () {
      const ports = ["", ":443", ":8443", ":80", ":22", ":5432", ":8080"]
      const taken = (mode: Mode) =>
        Effect.filter(ports, (port) =>
          Effect.map(ask(`https://shop.example${port}/`, mode, publicName()), Either.isRight)
        )
      expect(yield* taken("live")).toEqual(["", ":443", ":8443"])
      expect(yield* taken("sandbox")).toEqual(ports)
    })
  )

  it.effect("takes http on loopback in sandbox mode only, by address and by name", () =>
    Effect.gen(function* () {
      const names = makeNames()
      names.answer("localhost", ["127.0.0.1", "::1"])
      for (const url of ["http://127.0.0.1:8080/", "http://127.9.8.7/", "http://[::1]:3000/", "http://localhost:1/x"]) {
        expect(Either.isRight(yield* ask(url, "sandbox", names)), url).toBe(true)
        expect(Either.isLeft(yield* ask(url, "live", names)), url).toBe(true)
        expect(Either.isLeft(yield* ask(url.replace("http:", "https:"), "sandbox", names)), url).toBe(true)
      }
    })
  )

  it.effect.each([
    { addresses: ["10.0.0.1"] },
    { addresses: ["93.184.216.34", "10.0.0.1"] },
    { addresses: ["93.184.216.34", "::1"] },
    { addresses: ["93.184.216.34", "::ffff:169.254.169.254"] },
    { addresses: ["127.0.0.1"] }
  ])("refuses a name for one bad address among its own: %j", ({ addresses }) =>
    Effect.gen(function* () {
      const names = makeNames()
      names.answer("shop.example", addresses)
      const refusal = yield* Effect.flip(Effect.flatten(ask("https://shop.example/", "live", names)))
      expect(refusal.kind).toBe("address")
      for (const address of addresses) expect(refusal.message, "tells nothing of the network").not.toContain(address)
    })
  )

  it.effect("refuses a name that moved into the network since the last time", () =>
    Effect.gen(function* () {
      const names = makeNames()
      names.answer("shop.example", ["93.184.216.34"], ["169.254.169.254"], ["127.0.0.1"])
      expect(Either.isRight(yield* ask("https://shop.example/", "live", names))).toBe(true)
      expect(Either.isLeft(yield* ask("https://shop.example/", "live", names))).toBe(true)
      expect(Either.isLeft(yield* ask("https://shop.example/", "sandbox", names))).toBe(true)
      expect(names.asked).toEqual(["shop.example", "shop.example", "shop.example"])
    })
  )

  it.effect("says that a name cannot be resolved, or has no address", () =>
    Effect.gen(function* () {
      const names = makeNames()
      names.answer("empty.example", [])
      const refusal = (url: string) => Effect.flip(Effect.flatten(ask(url, "live", names)))
      expect(yield* refusal("https://nowhere.example/")).toMatchObject({
        kind: "unresolved",
        message: "the name nowhere.example cannot be resolved (ENOTFOUND)"
      })
      expect(yield* refusal("https://empty.example/")).toMatchObject({ kind: "unresolved" })
    })
  )

  it.effect("asks no resolver about an address", () =>
    Effect.gen(function* () {
      const names = makeNames()
      for (const url of ["https://8.8.8.8/", "https://[2606:4700::1111]/", "https://134744072/"]) {
        expect(Either.isRight(yield* ask(url, "live", names)), url).toBe(true)
      }
      expect(names.asked).toEqual([])
    })
  )
})

describe("The machine's resolver", () => {
  it.live("knows localhost, and not a reserved name", () =>
    Effect.gen(function* () {
      const endpoint = yield* resolveChecked("http://localhost:8080/", "sandbox")
      expect(endpoint.addresses.length).toBeGreaterThan(0)
      const refusal = yield* Effect.flip(resolveChecked("https://nobody.invalid/", "sandbox"))
      expect(refusal.kind).toBe("unresolved")
      expect(refusal.message).toMatch(/^the name nobody\.invalid cannot be resolved \(\w+\)$/)
    })
  )
})
