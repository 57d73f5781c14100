/** Fixtures of a run: organisations with users, keys and endpoints; corridors, rates and fees. */
import { Effect, Either, Option, Redacted } from "effect"
import { sandboxRates } from "../../../src/app/Sandbox.ts"
import type { Role } from "../../../src/domain/Access.ts"
import { API_KEY_RANDOM_BYTES, formatApiKey, prefixOf, hashApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import type { Flow, PaymentMethod, ProviderName } from "../../../src/domain/Corridor.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { FeeTerms } from "../../../src/domain/Fee.ts"
import { BeneficiaryId, ConfigId, KeyId, OrgId, UserId, WebhookId, Ids } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { checkBeneficiary, BeneficiaryStore } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { ApiKeyStore } from "../../../src/people/apiKeys/ApiKeyStore.ts"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { encryptCredentials } from "../../../src/providers/accounts/AccountCredentials.ts"
import { ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import type { Chance } from "../world/Chance.ts"
import type { Focus } from "./Focus.ts"

export interface Credential {
  readonly keyId: KeyId
  readonly userId: UserId
  readonly headers: Readonly<Record<string, string>>
}

export interface Endpoint {
  readonly webhookId: WebhookId
  readonly url: string
  readonly secret: string
  readonly events: ReadonlyArray<string>
}

export interface Organisation {
  readonly orgId: OrgId
  readonly owner: Credential
  readonly colleague: Credential
  readonly phone: BeneficiaryId
  readonly bank: BeneficiaryId
  /** Fee of mobile money payments in both directions; null: none. */
  readonly fee: FeeTerms | null
  /** Configuration of an own Stripe account. */
  readonly ownAccount: ConfigId | null
  readonly endpoints: ReadonlyArray<Endpoint>
}

/** Events that most endpoints subscribe to. */
const ends = ["payment.completed", "payment.failed", "payment.refunded"]

const KES = CurrencyCode.make("KES")

const addUser = (orgId: OrgId, role: Role, name: string) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const users = yield* UserStore
    const keys = yield* ApiKeyStore
    const user_id = yield* ids.make(UserId)
    yield* Effect.orDie(
      users.insert({
        user_id,
        subject: user_id,
        email: `${name}-${user_id}@example.com`,
        country: "KE",
        is_admin: false
      })
    )
    yield* users.putMember({ org_id: orgId, user_id, role })
    const text = formatApiKey("test", yield* ids.bytes(API_KEY_RANDOM_BYTES))
    const api_key_id = yield* ids.make(KeyId)
    yield* keys.insert({
      api_key_id,
      org_id: orgId,
      user_id,
      obtained_by: user_id,
      hash: hashApiKey(text),
      name,
      role,
      prefix: prefixOf(text),
      mode: "test"
    })
    const credential: Credential = {
      keyId: api_key_id,
      userId: user_id,
      headers: { authorization: "NONE", "x-api-key": text }
    }
    return credential
  })

const phoneAccount = {
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Okafor",
  momo_details: { provider: "mpesa", phone_number: "+254712345678" }
} as const

const bankAccount = {
  account_type: "bank",
  beneficiary_type: "business",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Okafor",
  bank_details: { account_name: "Ada Okafor", account_number: "1100223344", bank_name: "KCB", bank_code: "01" }
} as const

const checked = (draft: object) =>
  Either.getOrThrow(checkBeneficiary(draft as unknown as Parameters<typeof checkBeneficiary>[0]))

const byPhone = checked(phoneAccount)
const byBank = checked(bankAccount)

const addBeneficiary = (org_id: OrgId, fields: typeof byPhone, of: UserId) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const store = yield* BeneficiaryStore
    const beneficiary_id = yield* ids.make(BeneficiaryId)
    yield* store.insert({ ...fields, beneficiary_id, beneficiary_of: of, org_id })
    return beneficiary_id
  })

const addEndpoint = (org_id: OrgId, url: string, events: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const vault = yield* Vault
    const store = yield* WebhookStore
    const webhookId = yield* ids.make(WebhookId)
    const secret = `whsec_${(yield* ids.next).replaceAll("-", "")}`
    const secret_sealed = yield* vault.encrypt(secret, secretContext(webhookId))
    yield* store.insert({ webhook_id: webhookId, org_id, endpoint_url: url, events, secret_sealed })
    return { webhookId, url, secret, events } satisfies Endpoint
  })

/** Adds an own account for mobile money, before or after the platform's in priority. */
const addAccount = (chance: Chance, org_id: OrgId, name: string, isFirst: boolean) =>
  Effect.gen(function* () {
    const config_id = yield* Effect.flatMap(Ids, (ids) => ids.make(ConfigId))
    const configs = yield* ProviderConfigStore
    const accounts = yield* ProviderAccountStore
    const drawn = chance.pick(["inbound", "inbound", "outbound"] as const, `${name} own account`)
    const direction = isFirst ? "inbound" : drawn
    const corridor = { country: CountryCode.make("KE"), payment_method: "mobile_money", direction } as const
    const priority = isFirst ? 0 : chance.pick([0, 5, 10], `${name} own priority`)
    yield* configs.insert([{ config_id, org_id, provider: "stripe", ...corridor, priority, is_active: true }])
    const given = { secret_key: Redacted.make(`sk_test_${config_id}`) }
    const sealed = yield* Effect.flatMap(Vault, (vault) => encryptCredentials(vault, config_id, given))
    yield* accounts.put({ config_id, provider: "stripe", sealed, tested: true })
    return config_id
  })

/** Basis points that cause rounding, sometimes with a fixed amount. */
const drawFee = (chance: Chance, name: string): FeeTerms => ({
  basis_points: chance.pick([150, 137, 33, 275, 1], `${name} basis points`),
  fixed: chance.happens(0.3, `${name} fixed fee`) ? new Money({ currency: KES, minor: 55n }) : null
})

const addOrganisation = (chance: Chance, at: number, focus: Focus) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const organizations = yield* OrganizationStore
    const ledger = yield* LedgerStore
    const fees = yield* FeeRuleStore
    const org_id = yield* ids.make(OrgId)
    const name = `Organisation ${at}`
    const owes = focus.withoutCredit !== true && chance.happens(0.6, `${name} may owe`)
    const made = yield* organizations.insert({
      org_id,
      name,
      country: "KE",
      currency: "KES",
      email: `hello-${at}@example.com`,
      features: ["escrow"],
      sandbox: owes
    })
    const reviews = chance.happens(0.4, `${name} reviews`) ? { review_threshold: "4000" } : {}
    const spread = chance.happens(0.3, `${name} has a spread`) ? { spread_bps: 50 } : {}
    yield* organizations.update(Option.none(), { ...made, ...reviews, ...spread })
    if (!owes && focus.withoutCredit !== true && !chance.happens(0.2, `${name} has no limit`)) {
      const credit_limit = new Money({ currency: KES, minor: 500_000n })
      yield* Effect.orDie(ledger.setLimit({ org_id, currency: KES, credit_limit }))
    }
    if (chance.happens(0.3, `${name} has a reserve`)) {
      const rule = {
        basis_points: chance.pick([1000, 333, 0], `${name} reserve`),
        delay_days: chance.pick([0, 1], `${name} delay`),
        reserve_days: 2,
        minimum_amount: null,
        minimum_currency: null
      }
      const methods = ["mobile_money", "card"] as const
      yield* organizations.setReserves(
        org_id,
        methods.map((payment_method) => ({ payment_method, ...rule }))
      )
    }
    const fee = chance.happens(0.4, `${name} is charged`) ? drawFee(chance, name) : null
    if (fee !== null) {
      for (const direction of ["inbound", "outbound"] as const) {
        const fee_rule_id = yield* ids.next
        yield* fees.put({
          fee_rule_id,
          org_id,
          payment_method: "mobile_money",
          direction,
          ...fee
        })
      }
    }
    const owner = yield* addUser(org_id, "org-admin", "owner")
    const colleague = yield* addUser(org_id, "staff", "colleague")
    const endpoints = yield* Effect.forEach(
      Array.from(
        {
          length: Number(
            chance.weighed({ "0": focus.receives === true ? 0 : 5, "1": 4, "2": 0.5 }, `${name} endpoints`)
          )
        },
        (_, index) => index
      ),
      (index) =>
        addEndpoint(
          org_id,
          `http://127.0.0.1:4000/${at}/${index}`,
          chance.pick([["*"], ends, ends], `${name} endpoint ${index} wants`)
        )
    )
    const isFirst = focus.ownAccount === true && at === 1
    const hasAccount = isFirst || (focus.ownAccount !== true && chance.happens(0.15, `${name} has an account`))
    const organisation: Organisation = {
      orgId: org_id,
      fee,
      owner,
      colleague,
      phone: yield* addBeneficiary(org_id, byPhone, owner.userId),
      bank: yield* addBeneficiary(org_id, byBank, owner.userId),
      ownAccount: hasAccount ? yield* addAccount(chance, org_id, name, isFirst) : null,
      endpoints
    }
    return organisation
  })

interface Corridor {
  readonly payment_method: PaymentMethod
  readonly direction: Flow
  readonly providers: ReadonlyArray<ProviderName>
}

const configsOf = (chance: Chance, { direction, payment_method, providers }: Corridor, isStripeFirst: boolean) =>
  Effect.flatMap(Ids, (ids) =>
    Effect.forEach(providers, (provider) =>
      Effect.map(ids.make(ConfigId), (config_id) => ({
        config_id,
        org_id: null,
        provider,
        country: CountryCode.make("KE"),
        payment_method,
        direction,
        priority:
          isStripeFirst && provider === "stripe"
            ? 0
            : chance.between(1, 9, `${provider} ${payment_method} ${direction} priority`),
        is_active: true
      }))
    )
  )

const inbound = ["mobile_money", "card", "bank_transfer"] as const
const outbound = ["mobile_money", "bank_transfer"] as const
const flows = ["inbound", "outbound"] as const

export const createFixtures = (
  chance: Chance,
  fiat: ReadonlyArray<ProviderName>,
  crypto: ReadonlyArray<ProviderName>,
  [least, most]: readonly [number, number],
  focus: Focus
) =>
  Effect.gen(function* () {
    const rates = yield* RateStore
    yield* rates.set(sandboxRates)
    const configs = yield* ProviderConfigStore
    const corridors = [
      ...inbound.map((payment_method) => ({ payment_method, direction: "inbound" as const, providers: fiat })),
      ...outbound.map((payment_method) => ({ payment_method, direction: "outbound" as const, providers: fiat })),
      ...flows.map((direction) => ({ payment_method: "crypto" as const, direction, providers: crypto }))
    ]
    yield* configs.insert(
      (yield* Effect.forEach(corridors, (one) => configsOf(chance, one, focus.ownAccount === true))).flat()
    )
    const count = chance.between(least, most, "organisations")
    return yield* Effect.forEach(
      Array.from({ length: count }, (_, at) => at + 1),
      (at) => addOrganisation(chance, at, focus)
    )
  })
