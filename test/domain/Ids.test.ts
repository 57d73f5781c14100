import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { operatorPermit } from "../../src/domain/Access.ts"
import {
  AccountId,
  AttemptId,
  BeneficiaryId,
  ConfigId,
  EscrowId,
  KeyId,
  LinkId,
  OrgId,
  PaymentId,
  TransactionId,
  UserId,
  WebhookId,
  idOrNil,
  Ids,
  nilUuid
} from "../../src/domain/Ids.ts"
import { LedgerAccount } from "../../src/domain/Ledger.ts"

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("Ids", () => {
  for (const [name, layer] of [
    ["random", Ids.layer],
    ["seeded", Ids.layerSeeded]
  ] as const) {
    it.effect(`${name}: are UUIDs of version 7 that sort in the order in which they were made`, () =>
      Effect.gen(function* () {
        const ids = yield* Ids
        const made: Array<string> = []
        for (let millis = 0; millis < 20; millis++) {
          yield* TestClock.adjust("1 millis")
          for (let one = 0; one < 50; one++) {
            const newId = yield* ids.atMost(3)
            made.push(yield* ids.next, newId(), newId())
          }
        }
        for (const id of made) expect(id).toMatch(shape)
        expect(made.toSorted()).toEqual(made)
        expect(new Set(made).size).toBe(made.length)
        expect(made.at(-1)!.slice(0, 13)).toBe("00000000-0014")
        const newId = yield* ids.atMost(1)
        expect(newId()).toMatch(shape)
        expect(newId).toThrow("More than the 1 ids")
      }).pipe(Effect.provide(layer))
    )
  }
})

describe("What an id names", () => {
  const ofPayment = (payment: PaymentId): string => payment
  const ofUser = (user: UserId): string => user
  const ofBoth = (payment: PaymentId, attempt: AttemptId): string => `${payment} ${attempt}`

  it.effect("is part of its type", () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      const payment = yield* ids.make(PaymentId)
      const attempt = yield* ids.make(AttemptId)
      expect([payment, attempt]).toEqual([expect.stringMatching(shape), expect.stringMatching(shape)])
      expect(ofBoth(payment, attempt)).toBe(`${payment} ${attempt}`)
      // @ts-expect-error An attempt is no payment.
      ofPayment(attempt)
      // @ts-expect-error Nor is an organisation.
      ofPayment(yield* ids.make(OrgId))
      // @ts-expect-error Nor is an endpoint of webhooks.
      ofPayment(yield* ids.make(WebhookId))
      // @ts-expect-error Nor is the transaction of a payment.
      ofPayment(yield* ids.make(TransactionId))
      // @ts-expect-error Nor is its user.
      ofPayment(yield* ids.make(UserId))
      // @ts-expect-error A key is not the user that it acts for.
      ofUser(yield* ids.make(KeyId))
      // @ts-expect-error Nor is a user the organisation that they belong to.
      ofUser(yield* ids.make(OrgId))
      // @ts-expect-error Nor is the beneficiary whom they made.
      ofUser(yield* ids.make(BeneficiaryId))
      // @ts-expect-error An account of the books is named by what it is of.
      LedgerAccount.virtual(yield* ids.make(EscrowId), "USDT")
      // @ts-expect-error Nor the other way round.
      LedgerAccount.escrow(yield* ids.make(AccountId), "USDT")
      // @ts-expect-error Nor is a link through which it may be paid.
      ofPayment(yield* ids.make(LinkId))
      // @ts-expect-error A configuration is no attempt to use it.
      ofBoth(payment, yield* ids.make(ConfigId))
      // @ts-expect-error They are swapped.
      ofBoth(attempt, payment)
      // @ts-expect-error Text names nothing until someone says what.
      ofPayment(yield* ids.next)
    }).pipe(Effect.provide(Ids.layer))
  )

  it("is kept where text from outside may name it", () => {
    const given = "0190B4B6-5A3C-7000-8000-0000000000AF"
    expect(ofPayment(idOrNil(PaymentId)(given))).toBe(given.toLowerCase())
    expect(ofPayment(idOrNil(PaymentId)("x"))).toBe(nilUuid)
    // @ts-expect-error An attempt is no payment.
    ofPayment(idOrNil(AttemptId)(given))
    // @ts-expect-error The id of an actor may be an operator's, who is no user.
    ofUser(operatorPermit("any", "root").actor.id)
  })
})
