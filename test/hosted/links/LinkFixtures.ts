/** Payment links as an organisation makes them, and reads them again. */
import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { Cast, Credential } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { type Claim, LinkStore, type NewLink, type PaymentLink } from "../../../src/hosted/links/LinkStore.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { changeTo, makePayment, newOwner, now, shillings } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"

export interface Link {
  readonly link_id: string
  readonly link_ref: string
  readonly status: string
  readonly paid_at: string | null
  readonly url: string
  readonly [field: string]: unknown
}

export const linksOf = (orgId: string): string => `/v1/orgs/${orgId}/payment-links`

export const kenyan = { amount: 1500, currency: "KES", amount_type: "fixed", description: "Invoice 1042" }

export const askForLink = (credential: Credential, orgId: string, body: object) =>
  post(linksOf(orgId), { ...credential }, body)

export const newLink = (owner: Cast, body: object = kenyan) =>
  Effect.map(askForLink(owner.key, owner.org_id, body), (answer) => {
    expect(answer.status, answer.text).toBe(201)
    return (bodyOf(answer) as { readonly data: Link }).data
  })

export const linkOf = (owner: Cast, linkId: string) =>
  Effect.map(send(`${linksOf(owner.org_id)}/${linkId}`, { headers: { ...owner.key } }), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return (bodyOf(answer) as { readonly data: Link }).data
  })

export const cancelLink = (credential: Credential, orgId: string, linkId: string) =>
  send(`${linksOf(orgId)}/${linkId}`, { method: "DELETE", headers: { ...credential } })

/** Links and payments through them, as the stores are given them. */
const KES = CurrencyCode.make("KES")

export const makeLink = (about: Partial<NewLink> = {}) =>
  Effect.gen(function* () {
    const store = yield* LinkStore
    const owner = yield* newOwner
    const link_id = yield* nextId
    const link = yield* store.insert({
      link_id,
      org_id: owner.org_id,
      created_by: owner.user_id,
      link_ref: `ref-${link_id}`,
      email: null,
      amount_type: "fixed",
      amount: shillings(150_000n),
      currency: KES,
      payer_currency: KES,
      country: CountryCode.make("KE"),
      description: "Two seats",
      expires_at: null,
      client_reference: null,
      virtual_account_id: null,
      return_url: null,
      brand_name: null,
      brand_color: null,
      brand_logo: null,
      ...about
    })
    return { owner, link, scope: Option.some(owner.org_id) }
  })

/** In the transaction of a payment of its own, as the service does it. */
export const claim = (link: PaymentLink, about: Partial<Claim> = {}) =>
  Effect.gen(function* () {
    const store = yield* LinkStore
    const payments = yield* PaymentStore
    const { atomically } = yield* Transactor
    const payment = yield* makePayment({ org_id: link.org_id, user_id: link.created_by }, { provider: "fiat" })
    const { payment_id } = payment
    const at = yield* now
    const { link_id, org_id } = link
    const claimed = yield* Effect.either(
      atomically(
        Effect.gen(function* () {
          yield* payments.create({ payment, attempt: null })
          const ours = { link_id, org_id, payment_id, submission: payment_id, replacing: link.payment_id, now: at }
          if (!(yield* store.claim({ ...ours, ...about }))) return yield* Effect.fail("taken" as const)
        })
      )
    )
    return { payment, claimed: Either.isRight(claimed) }
  })

export const move = (payment: Payment, status: "completed" | "failed", at = new Date("2030-06-01T12:00:00Z")) =>
  Effect.gen(function* () {
    const payments = yield* PaymentStore
    expect(yield* payments.apply(yield* changeTo(payment, status, { at }))).toBe(true)
  })
