/** Shares of a worker's room, as a function. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, FastCheck as fc } from "effect"
import {
  webhookClaimBatch,
  webhookConcurrency,
  webhookShare,
  webhookSlowConcurrency,
  webhookUnknownConcurrency
} from "../../../src/domain/policies/WebhookPolicies.ts"
import { type Share, fairShares, type Speed, type DueOrganization } from "../../../src/webhooks/delivery/FairShare.ts"
import { idFrom } from "../../support/AnyId.ts"

const speeds = ["prompt", "unknown", "slow"] as const

const organization = (name: string, speed: Speed, sending = 0): DueOrganization => ({
  org_id: idFrom(name),
  speed,
  sending,
  failing: 0,
  hasNothingDue: false
})

const many = (count: number, speed: Speed) => Arr.makeBy(count, (nth) => organization(`${speed} ${nth}`, speed))

const roomOf = (shares: ReadonlyArray<Share>, orgId: string): number =>
  shares.find(({ org_id }) => org_id === orgId)?.room ?? 0

const total = (shares: ReadonlyArray<Share>) => shares.reduce((sum, { room }) => sum + room, 0)

/** All that they may have, claim by claim, when none of it ever ends. */
const fill = (organizations: ReadonlyArray<DueOrganization>): ReadonlyArray<DueOrganization> => {
  const shares = fairShares(organizations, organizations, webhookClaimBatch)
  if (shares.length === 0) return organizations
  return fill(organizations.map((one) => ({ ...one, sending: one.sending + roomOf(shares, one.org_id) })))
}

const held = (organizations: ReadonlyArray<DueOrganization>) =>
  organizations.reduce((sum, { sending }) => sum + sending, 0)

/** State that the worker can be in: no organisation holds more than there is. */
const state = fc
  .array(
    fc.record({
      speed: fc.constantFrom(...speeds),
      sending: fc.integer({ min: 0, max: 12 }),
      hasNothingDue: fc.boolean(),
      waits: fc.boolean()
    }),
    { maxLength: 40 }
  )
  .map((all) => all.map((one, nth) => ({ ...one, org_id: idFrom(nth), failing: 0 })))
  .filter((all) => held(all) <= webhookConcurrency)

describe("fairShares", () => {
  it("gives one that is alone a quarter of what its speed opens to it", () => {
    for (const [speed, room] of [
      ["prompt", webhookConcurrency],
      ["unknown", webhookUnknownConcurrency],
      ["slow", webhookSlowConcurrency]
    ] as const) {
      expect(held(fill([organization("a", speed)]))).toBe(room / (webhookShare + 1))
    }
  })

  it("gives equals the same, and leaves room for the next", () => {
    for (const count of [2, 5, 9, 30, 100]) {
      const full = fill(many(count, "prompt"))
      const [least, most] = [Math.min(...full.map((one) => one.sending)), Math.max(...full.map((one) => one.sending))]
      expect(most - least).toBeLessThanOrEqual(1)
      const newcomer = organization("newcomer", "prompt")
      expect(roomOf(fairShares(full, [newcomer], 64), "newcomer")).toBeGreaterThan(0)
    }
  })

  it("keeps room for prompt ones and for unknown ones, however many are slow", () => {
    const slow = fill(many(1000, "slow"))
    expect(held(slow)).toBe(webhookSlowConcurrency)
    const both = fill([...slow, ...many(1000, "unknown")])
    expect(held(both)).toBe(webhookUnknownConcurrency)
    const neighbour = organization("neighbour", "prompt")
    expect(roomOf(fairShares(both, [neighbour], webhookConcurrency), "neighbour")).toBe(
      (webhookConcurrency - webhookUnknownConcurrency) / (webhookShare + 1)
    )
    expect(fairShares(both, [organization("another", "unknown")], 64)).toEqual([])
  })

  it("lets no organisation that comes after another one drive it out", () => {
    let full: ReadonlyArray<DueOrganization> = []
    for (let nth = 0; nth < 15; nth += 1) {
      const next = organization(`hangs ${nth}`, "prompt")
      expect(roomOf(fairShares(full, [next], 64), next.org_id), `after ${nth}`).toBeGreaterThan(0)
      full = fill([...full.map((one) => ({ ...one })), next])
    }
  })

  it("prefers the one that answers sooner among those that hold the same", () => {
    const slow = many(100, "slow")
    const shares = fairShares([], [...slow, organization("a", "unknown"), organization("b", "prompt")], 2)
    expect(shares.map(({ org_id }) => org_id)).toEqual(["a", "b"])
  })

  it("asks those last that had nothing to give", () => {
    const withNothingDue = many(500, "prompt").map((one) => ({ ...one, hasNothingDue: true }))
    const neighbour = organization("neighbour", "prompt", 5)
    expect(roomOf(fairShares([neighbour], [...withNothingDue, neighbour], 64), "neighbour")).toBeGreaterThan(0)
  })

  it("leaves half of what an organisation holds to endpoints that do not fail", () => {
    const [share] = fairShares([], [organization("a", "prompt")], 64)
    expect(share).toEqual({ org_id: "a", room: 64, failingRoom: 32 })
    const failing = { ...organization("a", "prompt", 32), failing: 32 }
    expect(fairShares([failing], [failing], 32)).toEqual([{ org_id: "a", room: 32, failingRoom: 0 }])
    const [last] = fairShares(many(80, "prompt"), many(80, "prompt"), 1)
    expect(last).toMatchObject({ room: 1, failingRoom: 1 })
  })

  it("never gives out more than there is, and nothing to one that holds more than its part", () => {
    fc.assert(
      fc.property(state, fc.integer({ min: 0, max: 64 }), (all, most) => {
        const waiting = all.filter(({ waits }) => waits)
        const shares = fairShares(all, waiting, most)
        expect(total(shares)).toBeLessThanOrEqual(most)
        const after = all.map((one) => ({ ...one, sending: one.sending + roomOf(shares, one.org_id) }))
        expect(held(after)).toBeLessThanOrEqual(webhookConcurrency)
        for (const { org_id, room } of shares) {
          const one = all.find((other) => other.org_id === org_id)!
          expect(one.waits).toBe(true)
          expect((one.sending + room - 1) * webhookShare).toBeLessThan(webhookConcurrency - held(all))
        }
      })
    )
  })

  it("passes none over for one that holds more", () => {
    fc.assert(
      fc.property(state, (all) => {
        const waiting = all.filter(({ waits }) => waits)
        const shares = fairShares(all, waiting, webhookClaimBatch)
        for (const given of waiting) {
          const room = roomOf(shares, given.org_id)
          for (const other of waiting) {
            if (room === 0 || other.speed !== given.speed || other.hasNothingDue !== given.hasNothingDue) continue
            expect(other.sending + roomOf(shares, other.org_id)).toBeGreaterThanOrEqual(given.sending + room - 1)
          }
        }
      })
    )
  })
})
