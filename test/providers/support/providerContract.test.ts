/** The contract itself: a whole adapter keeps every promise, and each fault breaks the one that it is about. */
import { it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { describe, expect } from "vitest"
import type { BankAccount, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { acme, type Fault } from "./Acme.ts"
import { acmeFake, forgetfulAcmeFake } from "./AcmeFake.ts"
import { promisesOf, providerContract } from "./providerContract.ts"
import type { Sample, Samples } from "./Samples.ts"

const byCard: Sample = { currency: "KES", order: (basics) => ({ ...basics, method: "card" }) }

const account: BankAccount = {
  accountName: "Wanjiru Kamau",
  accountNumber: "0100200300",
  bankCode: "01",
  bankName: null,
  country: "KE"
}

const toBank: Sample = {
  currency: "KES",
  order: (basics): PaymentOrder => ({ ...basics, method: "bank_transfer", bank: account })
}

const whole: Samples = { payin: byCard, payout: toBank, refund: true }

providerContract(acme(), acmeFake, whole)

describe("at a hosted page", () => {
  providerContract(acme(), acmeFake, {
    payin: { ...byCard, order: (basics) => ({ ...basics, method: "wallet" }) },
    refund: true
  })
})

describe("in a currency without minor units", () => {
  providerContract(acme(), acmeFake, { payin: { ...byCard, currency: "UGX" } })
})

/** Each fault, and the promise that it breaks. */
const breaks: Readonly<Record<Fault, string>> = {
  "sends a new reference every time": "a payin moves money once, however often one reference is sent",
  "declines what it cannot read": "a payin whose answer is unreadable is found again",
  "believes any answer of 200": "a payin whose answer is unreadable is found again",
  "says absent when it is not sure": "a payin whose answer was lost is found again",
  "never says absent": "a payin that was lost on the way is not known",
  "blames the payer for everything": "a payin is declined for the provider's own reasons",
  "keeps to itself how much came": "a payin of another amount is reported with it",
  "leaks its key": "a payin completes, and its fake holds what it said",
  "leaks its key to the log": "a payin completes, and its fake holds what it said",
  "does not check the signature": "a callback about a payin with a changed byte proves nothing",
  "states half of what is signed": "a callback about a payin with a changed byte proves nothing",
  "loses the way to the attempt": "a callback about a payin leads to it",
  "takes silence for failure": "a payin without any answer is under way",
  "makes up a key for every callback": "a callback about a payin that comes twice is one",
  "refunds twice": "a refund gives back once what it says",
  "says every account is good": "a bad account is said to be bad",
  "declines a repeated refund": "a refund gives back once what it says",
  "accepts what is refused": "a payin is declined for the instrument",
  "has refunds that it does not declare": "refunds are there where they are declared",
  "names no movement": "a payin completes, and its fake holds what it said",
  "has another id for a movement in each report": "a callback about a payin leads to it"
}

describe("an adapter that", () => {
  it.live.each(Object.entries(breaks) as ReadonlyArray<[Fault, string]>)("%s does not pass: %s", ([fault, name]) =>
    Effect.gen(function* () {
      const promise = promisesOf(acme(fault), acmeFake, whole).find((one) => one.name === name)
      const exit = yield* Effect.exit(promise!.check)
      const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      expect(failure).toMatchObject({ _tag: "BrokenPromise" })
    })
  )
})

describe("a provider that does not remember a reference", () => {
  it.live.each([
    "a payin moves money once, however often one reference is sent",
    "a refund gives back once what it says"
  ])("does not pass: %s", (name) =>
    Effect.gen(function* () {
      const promise = promisesOf(acme(), forgetfulAcmeFake, whole).find((one) => one.name === name)
      const exit = yield* Effect.exit(promise!.check)
      expect(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined).toMatchObject({ _tag: "BrokenPromise" })
    })
  )
})
