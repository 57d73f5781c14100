/** Accounts that an organisation has at providers itself, as its configurations bring them. */
import { Effect } from "effect"
import { ConfigId, type OrgId, Ids } from "../../../src/domain/Ids.ts"
import type { Flow, PaymentMethod } from "../../../src/domain/Corridor.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import type { Actable } from "./ActionCalls.ts"
import { attemptsOf, callBack, initiate, jsonOf } from "./PaymentCalls.ts"
import { honouring } from "./PayinBalances.ts"
import { byCard, kenyanBank } from "./Requests.ts"

const KES = CurrencyCode.make("KES")

export interface Corridor {
  readonly country: string
  readonly payment_method?: PaymentMethod
  readonly direction?: Flow
  readonly priority?: number
  /** Acme's unless said otherwise; null is everybody's. */
  readonly org_id?: OrgId | null
}

/** A provider that is reached through the account of a configuration, or through the platform's. */
export interface Reached {
  readonly provider: Actable
  readonly account: ConfigId | null
}

/** Serves this corridor for the organisation through the platform's account. */
export const servedBy = (provider: Actable, corridor: Corridor) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const config_id = yield* Effect.flatMap(Ids, (ids) => ids.make(ConfigId))
    const { country, direction = "inbound", org_id = acme.org_id, payment_method = "card", priority = 1 } = corridor
    yield* Effect.flatMap(ProviderConfigStore, (store) =>
      store.insert([
        {
          ...{ config_id, org_id, provider: provider.name, country: CountryCode.make(country), payment_method },
          ...{ direction, priority, is_active: true }
        }
      ])
    )
    return config_id
  })

/** The same through an account that the configuration brings. */
export const servedByOwn = (accounts: Map<string, Provider>, provider: Actable, corridor: Corridor) =>
  Effect.gen(function* () {
    const account = yield* servedBy(provider, corridor)
    const store = yield* ProviderAccountStore
    yield* store.put({ config_id: account, provider: provider.name, sealed: "never opened here", tested: true })
    accounts.set(account, provider)
    return account
  })

export const ownStripe = () => honouring("stripe")

/** Gains of each account since, in shillings, without zeros. */
export const gaining = (accounts: Readonly<Record<string, LedgerAccount>>) => {
  const all = Effect.flatMap(LedgerStore, (ledger) =>
    Effect.map(ledger.balances(Object.values(accounts)), (found) =>
      Object.entries(accounts).map(([name, account]) => [name, found.get(account)!.minor] as const)
    )
  )
  return Effect.map(all, (first) => {
    const before = new Map(first)
    return Effect.map(all, (now) =>
      Object.fromEntries(
        now.flatMap(([name, minor]) => {
          const more = minor - before.get(name)!
          return more === 0n ? [] : [[name, Number(more) / 100]]
        })
      )
    )
  })
}

/** The accounts of the books that a payment through this account may touch. */
export const booksAround = (account: ConfigId) =>
  Effect.map(people, ({ acme }) => ({
    settlement: LedgerAccount.settlement(acme.org_id, KES),
    held: LedgerAccount.held(acme.org_id, KES),
    own: LedgerAccount.ownAccount(acme.org_id, account, KES),
    there: LedgerAccount.provider("stripe", KES, account),
    stripe: LedgerAccount.provider("stripe", KES),
    adyen: LedgerAccount.provider("adyen", KES),
    fees: LedgerAccount.fees(KES)
  }))

export const callsBack = (
  { account, provider }: Reached,
  reference: string,
  state: string,
  about: { readonly key?: string; readonly received?: { readonly amount: string; readonly currency: string } } = {}
) => {
  const { key = `${reference} ${state}`, ...said } = about
  return callBack(provider.name, { key, reference, state, ...said }, account === null ? {} : { account })
}

/** The reference of the last attempt of this leg. */
export const referenceOf = (paymentId: string, leg = "payment") =>
  Effect.map(attemptsOf(paymentId), (all) => String(all.findLast((one) => one["leg"] === leg)?.["attempt_id"]))

export const payin = (country: string, description: string, amount = 1500) =>
  initiate({ ...byCard(), country, description, amount, target_amount: amount })

/** To a bank, for the caller's organisation. */
export const payout = (country: string, description: string, amount = 1500, credential?: Credential) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post("/v1/beneficiaries", { ...(credential ?? acme.key) }, kenyanBank())
    const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
    return yield* initiate(
      {
        amount,
        target_amount: amount,
        currency: "KES",
        target_currency: "KES",
        country,
        payment_method: "bank_transfer",
        direction: "payout",
        beneficiary_id: data.beneficiary_id,
        description,
        bank_details: { account_name: "Acme", account_number: "1", bank_name: "B", country },
        bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
      },
      credential
    )
  })
