/** Flutterwave has no codes for its refusals, only sentences: those that leave no doubt are known by their words. */
import type { RefusalCode } from "../../domain/FailureCode.ts"

export interface Refusal {
  readonly code?: RefusalCode
  readonly instrument?: true
}

type Known = readonly [words: RegExp, refusal: Refusal]

const theirs = (code: RefusalCode): Refusal => ({ code, instrument: true })

/** Of money that a customer should pay. */
const ofCharges: ReadonlyArray<Known> = [
  [/insufficient (funds?|balance)/i, theirs("INSUFFICIENT_FUNDS")],
  [/do not honou?r|declined by (the )?(issuer|bank)/i, theirs("CARD_DECLINED")],
  [/expired card|card (has )?expired/i, theirs("CARD_EXPIRED")],
  [/incorrect pin|invalid (pin|otp|token)/i, theirs("AUTHENTICATION_FAILED")],
  [/cancel+ed by (the )?(customer|user)|user cancel+ed/i, theirs("NOT_APPROVED")],
  [/not (enabled|permitted|supported)/i, { code: "NOT_SUPPORTED" }]
]

/** Of money that we should pay. */
const ofTransfers: ReadonlyArray<Known> = [
  [/insufficient (funds?|balance)/i, { code: "PROVIDER_BALANCE_LOW" }],
  [
    /recipient account could not be|(invalid|unknown) account|account (number )?(is )?invalid/i,
    theirs("ACCOUNT_INVALID")
  ],
  [/can only spend|limit/i, { code: "LIMIT_EXCEEDED" }],
  [/not (enabled|permitted|supported)/i, { code: "NOT_SUPPORTED" }]
]

export const refusalIn = (message: string, isPayout: boolean): Refusal =>
  (isPayout ? ofTransfers : ofCharges).find(([words]) => words.test(message))?.[1] ?? {}

/** It has the reference already: what it has is asked. */
export const saysDuplicate = (message: string): boolean =>
  /(duplicate|already|exist).*(reference|tx_ref)|(reference|tx_ref).*(duplicate|already|exist)/i.test(message) &&
  !/not exist/i.test(message)

export const saysAbsent = (message: string): boolean =>
  /no (transaction|transfer)|(transaction|transfer) (was )?not found/i.test(message)
