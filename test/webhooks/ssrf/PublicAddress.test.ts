import { describe, expect, it } from "vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { checkAddress } from "../../../src/webhooks/ssrf/EndpointUrl.ts"

const inside = [
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["0.0.0.0", "this host"],
  ["0.1.2.3", "this network"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["100.100.100.200", "Alibaba's metadata"],
  ["169.254.169.254", "metadata"],
  ["169.254.170.2", "container metadata"],
  ["168.63.129.16", "Azure's host services"],
  ["192.0.0.192", "Oracle's metadata, in protocol assignments"],
  ["192.0.2.1", "documentation"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.9", "documentation"],
  ["198.18.0.1", "benchmarks"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.250", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback, mapped"],
  ["::ffff:a9fe:a9fe", "metadata, mapped"],
  ["::127.0.0.1", "loopback, compatible"],
  ["::7f00:1", "loopback, compatible"],
  ["::10.0.0.1", "private, compatible"],
  ["::ffff:0:10.0.0.1", "private, translated"],
  ["64:ff9b::10.0.0.1", "private, through NAT64"],
  ["64:ff9b::a9fe:a9fe", "metadata, through NAT64"],
  ["64:ff9b:1::8.8.8.8", "local NAT64"],
  ["2002:7f00:1::", "loopback, through 6to4"],
  ["2002:a9fe:a9fe::1", "metadata, through 6to4"],
  ["2001:0:a00:1::", "private Teredo server"],
  ["2001:0:808:808:0:0:f5ff:fffe", "private Teredo client"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local with a zone"],
  ["2606:4700::1111%eth0", "a zone on a public address"],
  ["fec0::1", "site-local"],
  ["fc00::1", "unique local"],
  ["fd00:ec2::254", "Amazon's metadata"],
  ["ff02::1", "multicast"],
  ["100::1", "discarded"],
  ["2001:db8::1", "documentation"],
  ["3fff::1", "documentation"],
  ["2001:2::1", "benchmarks"],
  ["2001:20::1", "ORCHID"],
  ["4000::1", "not assigned"],
  ["5f00::1", "segment routing"],
  ["example.com", "no address"],
  ["0177.0.0.1", "octal, which no resolver answers"],
  ["2130706433", "decimal, which no resolver answers"],
  ["", "nothing"]
] as const

const outside = [
  ["8.8.8.8", { address: "8.8.8.8", family: 4 }],
  ["100.63.255.255", { address: "100.63.255.255", family: 4 }],
  ["100.128.0.1", { address: "100.128.0.1", family: 4 }],
  ["172.32.0.1", { address: "172.32.0.1", family: 4 }],
  ["2606:4700::1111", { address: "2606:4700::1111", family: 6 }],
  ["::ffff:8.8.8.8", { address: "8.8.8.8", family: 4 }],
  ["64:ff9b::8.8.8.8", { address: "64:ff9b::808:808", family: 6 }]
] as const

describe("checkAddress", () => {
  it.each(inside)("refuses %s (%s) with https in both modes", (address) => {
    for (const mode of ["sandbox", "live"] as const) {
      expect(Either.isLeft(checkAddress(address, mode, "https:")), mode).toBe(true)
    }
  })

  it.each(outside)("takes %s with https in both modes, without its disguise", (address, checked) => {
    for (const mode of ["sandbox", "live"] as const) {
      expect(checkAddress(address, mode, "https:")).toEqual(Either.right(checked))
    }
  })

  it("takes http on loopback in sandbox mode, and on nothing else", () => {
    const loopback = ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]
    for (const address of loopback) {
      expect(Either.isRight(checkAddress(address, "sandbox", "http:")), address).toBe(true)
      expect(Either.isLeft(checkAddress(address, "live", "http:")), address).toBe(true)
    }
    const others = [...inside.map(([address]) => address), ...outside.map(([address]) => address)]
    for (const address of others.filter((one) => !/^(127\.[\d.]+|::1|::(ffff:)?127\.0\.0\.1)$/.test(one))) {
      expect(Either.isLeft(checkAddress(address, "sandbox", "http:")), address).toBe(true)
    }
  })

  it("never takes an IPv4 address in one of its IPv6 forms that it refuses bare", () => {
    const hex = (a: number, b: number) => ((a << 8) | b).toString(16)
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c, d]) => {
        const bare = Either.isRight(checkAddress(`${a}.${b}.${c}.${d}`, "live", "https:"))
        const [high, low] = [hex(a, b), hex(c, d)]
        const [notHigh, notLow] = [hex(255 - a, 255 - b), hex(255 - c, 255 - d)]
        const forms = [
          `::ffff:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:${high}:${low}::f7f7:f7f7`,
          `2001:0:808:808:0:0:${notHigh}:${notLow}`
        ]
        for (const form of forms) expect(Either.isRight(checkAddress(form, "live", "https:")), form).toBe(bare)
      }),
      { numRuns: 300, examples: [[[127, 0, 0, 1]], [[169, 254, 169, 254]], [[8, 8, 8, 8]]] }
    )
  })
})
