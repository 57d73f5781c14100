/**
 * Creates one object of every kind through the API, and resets roles, features and rates that requests have changed.
 */
import { byKey, byToken, callersOf, type Caller, type Credentials, orgsOf, type SandboxOrg, userOf } from "./Callers.ts"
import { bodyExamples, type Document, operationsOf } from "./Document.ts"
import { Draw } from "./Draw.ts"
import type { RawHttpClient } from "./RawHttpClient.ts"

type Json = Readonly<Record<string, unknown>>

/** Ids by parameter or field name; those of one set belong together. */
export type Ids = Readonly<Record<string, ReadonlyArray<string>>>

export interface TestObjects {
  readonly callers: Readonly<Record<string, Caller>>
  readonly ours: ReadonlyArray<Ids>
  readonly theirs: Ids
  /** Current rates, which examples cannot contain. */
  readonly onRampRate: number
  readonly offRampRate: number
}

const NIL = "00000000-0000-0000-0000-000000000000"

const NEIGHBOUR = "neighbour"

const permissions = ["payouts", "payment_links", "transactions", "refunds", "reviews", "accounts", "verification"]
const morePermissions = ["webhooks", "api_keys", "members", "escrow"]

export class ObjectFactory {
  readonly #wire: RawHttpClient
  readonly #document: Document
  readonly #credentials: Credentials

  constructor(client: RawHttpClient, document: Document, credentials: Credentials) {
    this.#wire = client
    this.#document = document
    this.#credentials = credentials
  }

  async #call(method: string, path: string, headers: Caller["headers"], body?: unknown): Promise<Json> {
    const answer = await this.#wire.send({
      method,
      target: `/v1${path}`,
      headers: body === undefined ? headers : [...headers, ["content-type", "application/json"]],
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) })
    })
    if (typeof answer === "string" || answer.status >= 300) {
      throw new Error(`${method} ${path} for the stock: ${typeof answer === "string" ? answer : answer.text}`)
    }
    const parsed = (answer.text === "" ? {} : JSON.parse(answer.text)) as Json
    return (parsed["data"] ?? parsed["response"] ?? parsed) as Json
  }

  /** Empty if a limit refused it. */
  async #perhaps(made: Promise<Json>): Promise<Json> {
    return made.catch(() => ({}))
  }

  #example(name: string, at = 0): Json {
    const operation = operationsOf(this.#document).find((one) => one.name === name)
    if (operation === undefined) throw new Error(`The document has no ${name}`)
    return bodyExamples(operation)[at] as Json
  }

  #make(path: string, headers: Caller["headers"], change: Json = {}, example = path): Promise<Json> {
    return this.#call("POST", path, headers, { ...this.#example(`POST ${example}`), ...change })
  }

  async #set(org: SandboxOrg, label: string): Promise<Ids> {
    const { org_id } = org
    const key = byKey(org.api_key)
    const admin = byToken(this.#credentials.admin.jwt)
    // The last org-admin cannot be removed or demoted.
    const user_id = userOf(org, "org-admin").user_id
    const text = (of: Json, name: string): string => String(of[name] ?? NIL)
    const apiKey = await this.#make("/public/api-keys", key)
    const beneficiary = await this.#make("/beneficiaries", key)
    const config = await this.#make("/payments/provider-configs", admin, { org_id })
    const payment = await this.#make("/payments-init/initiate", key)
    const card = await this.#call(
      "POST",
      "/payments-init/initiate",
      key,
      this.#example("POST /payments-init/initiate", 2)
    )
    const asking = { provider: "mpesa", phone_number: "+254712340002" }
    const otp = await this.#make("/payments-init/initiate", key, { mobile_money_details: asking })
    const webhook = await this.#make("/public/webhooks", key, { endpoint_url: `http://127.0.0.1:9/${label}` })
    await this.#make("/public/webhooks/notify", key, { org_id })
    const deliveries = await this.#call("GET", "/public/webhooks/deliveries?limit=1", key)
    const account = await this.#make("/virtual-accounts/internal/bank", key, { org_id, user_id })
    const other = await this.#make("/virtual-accounts/internal/bank", key, { org_id, user_id })
    const account_id = text(account, "account_id")
    const deposit = { amount: 1_000_000.5 }
    const transaction = await this.#call("POST", `/virtual-accounts/${account_id}/simulate-deposit`, key, deposit)
    const escrow = await this.#make("/virtual-accounts/escrow", admin, { org_id, account_id })
    const [milestone] = escrow["milestones"] as ReadonlyArray<Json>
    // The first milestone only, so that there is more to fund.
    const fund = { amount: milestone?.["expected_disbursement"] }
    await this.#call("POST", `/virtual-accounts/escrow/${text(escrow, "escrow_id")}/fund`, admin, fund)
    const link = await this.#make(`/orgs/${org_id}/payment-links`, key, {}, "/orgs/{org_id}/payment-links")
    const asked = { user_id, sender_id: user_id, target_type: "sender", transaction_id: payment["transaction_id"] }
    const verification = await this.#perhaps(this.#make("/users/notifications/verification-request", key, asked))
    const members = `/organizations/${org_id}/members`
    const invitation = await this.#perhaps(
      this.#call("POST", members, key, { email: `${label}-${Date.now()}@example.com`, role: "member" })
    )
    if (label === NEIGHBOUR) await this.#perhaps(this.#call("POST", `/organizations/${org_id}/kyb`, key))
    const rule = { subject: "phone", max_count: 1000, window_seconds: 60, action: "alert" }
    const rule_name = `rule-${label}`
    const own = `/organizations/${org_id}`
    for (const path of [own, ""]) await this.#call("PUT", `${path}/rules/${rule_name}`, admin, rule)
    const blocked = { list: "block", subject: "email", value: `${label}-${Date.now()}@blocked.example` }
    const entry = await this.#call("POST", `${own}/lists`, admin, blocked)
    const platformEntry = await this.#call("POST", "/lists", admin, blocked)
    const view = await this.#perhaps(this.#make("/saved-views", key, { name: `${label}-${Date.now()}` }))
    const organization = await this.#call("GET", own, key)
    const lookup = await this.#call("GET", "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=NGN", key)
    return {
      org_id: [org_id],
      user_id: [user_id],
      sender_id: [user_id],
      api_key_id: [text(apiKey, "api_key_id")],
      beneficiary_id: [text(beneficiary, "beneficiary_id")],
      config_id: [text(config, "config_id")],
      provider: [text(config, "provider")],
      permission: ["payouts"],
      payment_id: [payment, card, otp].map((one) => text(one, "payment_id")),
      transaction_id: [payment, card, otp].map((one) => text(one, "transaction_id")),
      virtual_transaction_id: [text(transaction, "transaction_id")],
      webhook_id: [text(webhook, "webhook_id")],
      delivery_id: (deliveries as unknown as ReadonlyArray<Json>).map((one) => text(one, "delivery_id")),
      account_id: [account_id, text(other, "account_id")],
      from_account_id: [account_id],
      to_account_id: [text(other, "account_id")],
      escrow_id: [text(escrow, "escrow_id")],
      milestone_id: [text(milestone ?? {}, "milestone_id")],
      party_id: (escrow["parties"] as ReadonlyArray<Json>).map((one) => text(one, "party_id")),
      invitation_id: [text(invitation, "invitation_id")],
      /** Member who may be removed. */
      removable_user_id: [userOf(org, "member").user_id],
      customer_id: [text(organization, "kyb_customer_id")],
      kyb_customer_id: [text(organization, "kyb_customer_id")],
      link_id: [text(link, "link_id")],
      link_ref: [text(link, "link_ref")],
      request_id: [text(verification, "request_id")],
      rule_name: [rule_name],
      entry_id: [text(entry, "entry_id")],
      platform_entry_id: [text(platformEntry, "entry_id")],
      view_id: [text(view, "view_id")],
      org_rate_id: [text(lookup, "org_rate_id")]
    }
  }

  /** Resets roles, features and rates, and draws the members' permissions. */
  async #setRight(draw: Draw): Promise<void> {
    const { ours, theirs } = orgsOf(this.#credentials)
    const admin = byToken(this.#credentials.admin.jwt)
    for (const org of [ours, theirs]) {
      const settings = { features: ["escrow"], review_threshold: null, spread_bps: 0 }
      await this.#call("PATCH", `/organizations/${org.org_id}`, admin, settings)
    }
    for (const role of ["org-admin", "staff", "member"]) {
      const path = `/organizations/${ours.org_id}/members/${userOf(ours, role).user_id}`
      await this.#call("PATCH", path, admin, { role })
      const granted = [...permissions, ...morePermissions].filter(() => role !== "org-admin" && draw.happens(0.3))
      await this.#call("PUT", `${path}/permissions`, admin, { permissions: granted })
    }
    for (const [from_currency, to_currency, rate] of [
      ["USD", "KES", 129.35],
      ["USDT", "KES", 129.35]
    ] as const) {
      await this.#call("PUT", "/organizations/admin/exchange-rate", admin, { from_currency, to_currency, rate })
    }
  }

  async #rate(from: string, to: string): Promise<number> {
    const { ours } = orgsOf(this.#credentials)
    const path = `/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}`
    return Number((await this.#call("GET", path, byKey(ours.api_key)))["rate"])
  }

  async create(seed: number, chapter: number, sets: number): Promise<TestObjects> {
    const draw = new Draw(seed, `stock ${chapter}`)
    const { ours, theirs } = orgsOf(this.#credentials)
    await this.#setRight(draw)
    const keys: Record<string, string> = {}
    for (const role of ["staff", "member"]) {
      keys[role] = String((await this.#make("/public/api-keys", byKey(ours.api_key), { role }))["api_key"])
    }
    const made: Array<Ids> = []
    for (let at = 0; at < sets; at++) made.push(await this.#set(ours, `${chapter}-${at}`))
    return {
      callers: callersOf(this.#credentials, keys),
      ours: made,
      theirs: await this.#set(theirs, NEIGHBOUR),
      onRampRate: await this.#rate("KES", "USDT"),
      offRampRate: await this.#rate("USDT", "KES")
    }
  }
}
