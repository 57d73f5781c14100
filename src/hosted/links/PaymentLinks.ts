/** Creates, reads and cancels payment links. */
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { AccountId, idOrNil, LinkId, type OrgId, Ids } from "../../domain/Ids.ts"
import { type CreatePaymentLink, type PaymentLink as LinkView, readLogo } from "../../contract/api/PaymentLinksApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Window } from "../../platform/database/Query.ts"
import type { Permit } from "../../domain/Access.ts"
import { CountryCode } from "../../domain/Country.ts"
import { Conflict, Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { checkReturnUrl } from "../../domain/Url.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { FundingEvents } from "../../payments/settlement/PaymentEvents.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { linkRefFrom, REF_BYTES } from "./LinkTokens.ts"
import { LinkStore, type NewLink, closedReason, type PaymentLink, linkStatusAt } from "./LinkStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Draft = typeof CreatePaymentLink.Type
type View = typeof LinkView.Type

const invalid = (message: string): Invalid => new Invalid({ message })

const NO_AMOUNT = 'amount: is needed for a fixed link; leave it out only with amount_type "open".'

export class PaymentLinks extends Context.Tag("corridor/PaymentLinks")<
  PaymentLinks,
  {
    readonly create: (permit: Permit<"payment_links">, draft: Draft) => Stored<View, Invalid | NotFound>
    readonly list: (permit: Permit<"payment_links">, window: Window) => Stored<ReadonlyArray<View>>
    readonly get: (permit: Permit<"payment_links">, linkId: LinkId) => Stored<View, NotFound>
    readonly cancel: (permit: Permit<"payment_links">, linkId: LinkId) => Stored<void, NotFound | Conflict>
  }
>() {
  static readonly layer = Layer.effect(
    PaymentLinks,
    Effect.gen(function* () {
      const store = yield* LinkStore
      const organizations = yield* Organizations
      const rates = yield* RateQuote
      const funding = yield* FundingEvents
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { mode, publicUrl } = yield* Settings
      const { atomically } = yield* Transactor

      const currentDate = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

      const viewOf = (link: PaymentLink, now: Date): View => ({
        link_id: link.link_id,
        org_id: link.org_id,
        email: link.email,
        link_ref: link.link_ref,
        amount: link.amount === null ? null : link.amount.toDecimal(),
        currency: link.currency,
        payer_currency: link.payer_currency,
        description: link.description,
        amount_type: link.amount_type,
        status: linkStatusAt(link, now),
        expires_at: link.expires_at,
        paid_at: link.paid_at,
        created_at: link.created_at,
        url: `${publicUrl}/pay/${link.link_ref}`,
        country: link.country,
        client_reference: link.client_reference,
        return_url: link.return_url,
        virtual_account_id: link.virtual_account_id,
        brand: {
          name: link.brand_name,
          color: link.brand_color,
          logo_url: link.has_logo ? `${publicUrl}/pay/${link.link_ref}/logo` : null
        }
      })

      const orNotFound = Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(notFound("payment link")),
          onSome: (link: PaymentLink) => Effect.succeed(link)
        })
      )

      const amountOf = ({ amount, amount_type, currency }: Draft): Effect.Effect<Money | null, Invalid> => {
        if (amount === undefined) {
          return amount_type === "open" ? Effect.succeed(null) : Effect.fail(invalid(NO_AMOUNT))
        }
        return Effect.mapError(Money.fromDecimal(amount, currency), (why) => invalid(`amount: ${why}.`))
      }

      /** A stale rate is accepted, since it will be refreshed; a missing rate is not. */
      const checkRate = Effect.fnUntraced(function* (orgId: OrgId, { currency, payer_currency = currency }: Draft) {
        const rate = yield* Effect.catchTag(rates.live(orgId, payer_currency, currency), "StaleRate", () =>
          Effect.succeedSome(undefined)
        )
        if (Option.isNone(rate)) {
          return yield* invalid(`payer_currency: there is ${yield* rates.missing(payer_currency, currency)}.`)
        }
      })

      const returnUrlOf = ({ return_url }: Draft): Effect.Effect<string | null, Invalid> =>
        return_url === undefined
          ? Effect.succeed(null)
          : Effect.mapError(checkReturnUrl(return_url, mode), (why) => invalid(`return_url: ${why}.`))

      const accountOf = Effect.fnUntraced(function* (orgId: OrgId, { currency, virtual_account_id }: Draft) {
        if (virtual_account_id === undefined) return null
        const found = yield* funding.creditedAccount(orgId, virtual_account_id)
        if (Option.isNone(found)) {
          return yield* invalid("virtual_account_id: is not a virtual account of this organisation.")
        }
        if (found.value.isClosed) return yield* invalid("virtual_account_id: the account is closed.")
        return found.value.currency === currency
          ? idOrNil(AccountId)(virtual_account_id)
          : yield* invalid(`currency: must be ${found.value.currency}, the currency of the virtual account.`)
      })

      /** The contract has validated the logo. */
      const brandOf = ({ brand }: Draft): Pick<NewLink, "brand_name" | "brand_color" | "brand_logo"> => ({
        brand_name: brand?.name ?? null,
        brand_color: brand?.color?.toLowerCase() ?? null,
        brand_logo: brand?.logo === undefined ? null : Either.getOrThrow(readLogo(brand.logo))
      })

      return {
        create: traced("PaymentLinks.create")(function* (permit, draft) {
          const org_id = yield* Effect.mapError(permit.scope, () => invalid("org_id: say which organisation is meant."))
          const created_by = yield* Effect.mapError(permit.actor.userId, () => invalid("A link is made by a user."))
          const now = yield* currentDate
          const amount = yield* amountOf(draft)
          if (draft.expires_at !== undefined && draft.expires_at.getTime() <= now.getTime()) {
            return yield* invalid("expires_at: is over already; name a time in the future, or leave it out.")
          }
          const return_url = yield* returnUrlOf(draft)
          yield* checkRate(org_id, draft)
          const virtual_account_id = yield* accountOf(org_id, draft)
          const organization = yield* Effect.flatMap(
            organizations.find(org_id),
            Effect.mapError(() => notFound("organisation"))
          )
          return yield* atomically(
            Effect.gen(function* () {
              const link = yield* store.insert({
                link_id: yield* ids.make(LinkId),
                org_id,
                created_by,
                link_ref: linkRefFrom(yield* ids.bytes(REF_BYTES)),
                email: draft.email ?? null,
                amount_type: draft.amount_type,
                amount,
                currency: draft.currency,
                payer_currency: draft.payer_currency ?? draft.currency,
                country: draft.country ?? CountryCode.make(organization.country),
                description: draft.description ?? null,
                expires_at: draft.expires_at ?? null,
                client_reference: draft.client_reference ?? null,
                return_url,
                virtual_account_id,
                ...brandOf(draft)
              })
              yield* audit.record(permit, {
                action: "payment_link.created",
                org: org_id,
                subject: ["payment_link", link.link_id],
                detail: { amount_type: link.amount_type, amount: amount?.toString() ?? null }
              })
              return viewOf(link, now)
            })
          )
        }),
        list: traced("PaymentLinks.list")(function* (permit, window) {
          const now = yield* currentDate
          return (yield* store.list(permit.scope, window)).map((link) => viewOf(link, now))
        }),
        get: traced("PaymentLinks.get")(function* (permit, linkId) {
          return viewOf(yield* orNotFound(store.find(permit.scope, linkId)), yield* currentDate)
        }),
        cancel: traced("PaymentLinks.cancel")(function* (permit, linkId) {
          yield* atomically(
            Effect.gen(function* () {
              const link = yield* orNotFound(store.findForUpdate(permit.scope, linkId))
              const now = yield* currentDate
              if (closedReason(link, now) === "paid") {
                return yield* new Conflict({ message: "This link is paid, and a paid link cannot be canceled." })
              }
              if (link.canceled_at !== null) return
              yield* store.cancel(permit.scope, linkId, now)
              yield* audit.record(permit, {
                action: "payment_link.canceled",
                org: link.org_id,
                subject: ["payment_link", linkId]
              })
            })
          )
        })
      }
    })
  )
}
