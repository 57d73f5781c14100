import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  clientAddress,
  parseTrustProxy,
  rateLimitKey,
  type TrustProxy
} from "../../../src/platform/config/ClientAddress.ts"

const trust = (text: string): TrustProxy =>
  Either.getOrThrowWith(parseTrustProxy(text), (message) => new Error(message))

const refusal = (text: string): string =>
  Either.match(parseTrustProxy(text), {
    onLeft: (message) => message,
    onRight: (value) => {
      throw new Error(`accepted as ${JSON.stringify(value)}`)
    }
  })

describe("parseTrustProxy", () => {
  it.each(["", " ", "false", "FALSE"])("trusts no proxy for %j", (text) => {
    expect(trust(text)).toStrictEqual({ _tag: "None" })
  })

  it("takes true and a number of proxies", () => {
    expect(trust("true")).toStrictEqual({ _tag: "Hops", count: 1 })
    expect(trust(" 10 ")).toStrictEqual({ _tag: "Hops", count: 10 })
  })

  it.each([
    "0",
    "11",
    "1.5",
    "-1",
    "yes",
    "10.0.0.0/33",
    "::1/129",
    "10.0.0.1,",
    "10.0.0",
    "010.0.0.1",
    "0xa.0.0.1",
    "10/8"
  ])("refuses %s and says what to write", (text) => expect(refusal(text)).toContain("a number of proxies from 1 to 10"))

  it.each(["10.0.0.0/8/9", "10.0.0.0/", "10.0.0.0/x", "10.0.0.1, nonsense"])("refuses %s", (text) => {
    expect(refusal(text)).toContain("neither an address nor a CIDR")
  })

  it.each(["0.0.0.0/0", "::/0", "10.0.0.1,0.0.0.0/0", "::ffff:0:0/96"])("refuses %s, which is everybody", (text) => {
    expect(refusal(text)).toContain("would trust everybody")
  })
})

describe("clientAddress", () => {
  it("never reads the header by default", () => {
    expect(clientAddress("192.0.2.1", "203.0.113.9", trust(""))).toBe("192.0.2.1")
  })

  it("reads as many entries as there are proxies, from the right", () => {
    const header = "198.51.100.1, 198.51.100.2,198.51.100.3"
    expect(clientAddress("10.0.0.1", header, trust("true"))).toBe("198.51.100.3")
    expect(clientAddress("10.0.0.1", header, trust("2"))).toBe("198.51.100.2")
    expect(clientAddress("10.0.0.1", header, trust("10"))).toBe("198.51.100.1")
    expect(clientAddress("10.0.0.1", undefined, trust("2"))).toBe("10.0.0.1")
  })

  it("walks over trusted networks and stops at the first address outside", () => {
    const proxies = trust("10.0.0.0/8, 2001:db8:1::/48, 192.0.2.7")
    const header = "1.1.1.1, 203.0.113.9, 2001:db8:1::5, 192.0.2.7, 10.9.9.9"
    expect(clientAddress("10.0.0.1", header, proxies)).toBe("203.0.113.9")
    expect(clientAddress("::ffff:10.0.0.1", header, proxies)).toBe("203.0.113.9")
    expect(clientAddress("11.0.0.1", header, proxies)).toBe("11.0.0.1")
    expect(clientAddress("192.0.2.8", header, proxies)).toBe("192.0.2.8")
    expect(clientAddress("10.0.0.1", "10.0.0.3,10.0.0.2", proxies)).toBe("10.0.0.3")
  })

  it("takes IPv4-mapped networks for what they are", () => {
    const proxies = trust("::ffff:10.0.0.0/104")
    expect(clientAddress("10.200.0.1", "203.0.113.9", proxies)).toBe("203.0.113.9")
    expect(clientAddress("11.0.0.1", "203.0.113.9", proxies)).toBe("11.0.0.1")
  })

  it.each(["1.1.1.1, nonsense", "1.1.1.1,", "1.1.1.1, 010.0.0.2", "1.1.1.1, 10.0.0.2:x", "1.1.1.1, [10.0.0.2"])(
    "stops at the garbage in %j",
    (header) => expect(clientAddress("10.0.0.1", header, trust("5"))).toBe("10.0.0.1")
  )

  it("normalises what it returns", () => {
    expect(clientAddress("::ffff:192.0.2.1", undefined, trust(""))).toBe("192.0.2.1")
    expect(clientAddress("::ffff:c000:201", undefined, trust(""))).toBe("192.0.2.1")
    expect(clientAddress("2001:DB8:0:0::1", undefined, trust(""))).toBe("2001:db8::1")
    expect(clientAddress("10.0.0.1", "[2001:DB8::2]:443", trust("1"))).toBe("2001:db8::2")
    expect(clientAddress("10.0.0.1", "203.0.113.9:5678", trust("1"))).toBe("203.0.113.9")
  })

  it("says unknown for a peer without an address, which may still be a proxy", () => {
    expect(clientAddress(undefined, "203.0.113.9", trust(""))).toBe("unknown")
    expect(clientAddress(undefined, "203.0.113.9", trust("10.0.0.0/8"))).toBe("unknown")
    expect(clientAddress(undefined, "203.0.113.9", trust("1"))).toBe("203.0.113.9")
  })

  it("returns the same address whatever the client wrote in front of what the proxies appended", () => {
    const proxies = fc.constantFrom(trust("1"), trust("10.0.0.0/8"))
    const written = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { minLength: 1 }).map((all) => all.join(","))
    fc.assert(
      fc.property(proxies, written, (trusted, forged) => {
        expect(clientAddress("10.0.0.1", `${forged}, 203.0.113.9`, trusted)).toBe("203.0.113.9")
      })
    )
  })
})

describe("rateLimitKey", () => {
  it("groups IPv6 by /64 and nothing else", () => {
    expect(rateLimitKey("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
    expect(rateLimitKey("2001:db8:1:2::1")).toBe("2001:db8:1:2::/64")
    expect(rateLimitKey("2001:db8:1:3::1")).toBe("2001:db8:1:3::/64")
    expect(rateLimitKey("fe80::1%eth0")).toBe("fe80::/64")
    expect(rateLimitKey("192.0.2.1")).toBe("192.0.2.1")
    expect(rateLimitKey("::ffff:192.0.2.1")).toBe("192.0.2.1")
    expect(rateLimitKey("unknown")).toBe("unknown")
  })
})
