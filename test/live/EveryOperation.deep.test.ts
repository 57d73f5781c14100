/**
 * Live equals sandbox: every operation of the OpenAPI document succeeds on a server in live mode, over fakes that say
 * so and speak TLS, and no answer speaks of a sandbox.
 */
import { createHmac, randomUUID } from "node:crypto"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operationsOf } from "../contract/api/DocumentedOperations.ts"
import { bodyOf as mailBody } from "../platform/notifications/MailServer.ts"
import { makeCalls, type Fields } from "./LiveCalls.ts"
import { KYB_SECRET, startLive } from "./LiveServer.ts"

/** Exists in a sandbox only, and says so. */
const sandboxOnly = ["POST /virtual-accounts/{account_id}/simulate-deposit"]

const scope = Effect.runSync(Scope.make())
let live: Effect.Effect.Success<typeof startLive>
let calls: ReturnType<typeof makeCalls>
let org_id = ""
let key: Record<string, string> = {}
let admin: Record<string, string> = {}
let owner: Record<string, string> = {}

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, "x-api-key": "NONE" })
const byKey = (api_key: string) => ({ "x-api-key": api_key, authorization: "NONE" })

/** With a key of its own, as every caller that moves money should send. */
const once = (headers: Record<string, string>) => ({ ...headers, "idempotency-key": randomUUID() })

const INITIATE = "POST /payments-init/initiate"

const payin = (change: Fields = {}) => ({
  amount: 150_000,
  currency: "KES",
  target_amount: 150_000,
  target_currency: "KES",
  payment_method: "mobile_money",
  direction: "payin",
  country: "KE",
  payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
  mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" },
  ...change
})

const reaches = (payment_id: string, status: string) =>
  calls.until("GET /payments/{payment_id}", { path: { payment_id }, headers: key }, (data) => data["status"] === status)

const beneficiary = (change: Fields = {}) =>
  calls.call("POST /beneficiaries", {
    headers: key,
    body: {
      account_type: "mobile_money",
      beneficiary_type: "individual",
      country: "KE",
      currency: "KES",
      fname: "Ada",
      lname: "Wanjiku",
      email: "ada@example.com",
      momo_details: { provider: "M-Pesa", phone_number: "0712345678" },
      ...change
    }
  })

const openAccount = (user_id: string, change: Fields = {}) =>
  calls.call("POST /virtual-accounts/internal/bank", {
    headers: key,
    body: { org_id, user_id, currency: "KES", ...change }
  })

beforeAll(async () => {
  live = await Effect.runPromise(Scope.extend(startLive, scope))
  calls = makeCalls(live.url)
  const { cli, token } = live
  await cli("users", "create", "--email", "root@corridor.example", "--subject", "root", "--admin")
  org_id = (
    await cli<Fields>(
      "orgs",
      "create",
      "--name",
      "Kilimo",
      "--country",
      "KE",
      "--currency",
      "KES",
      "--email",
      "k@k.example"
    )
  )["org_id"] as string
  await cli("users", "create", "--email", "ada@k.example", "--subject", "ada", "--org", org_id, "--role", "org-admin")
  key = byKey((await cli<Fields>("keys", "create", "--org", org_id, "--name", "Walk"))["api_key"] as string)
  admin = bearer(await token("root"))
  owner = bearer(await token("ada", { org_id }))
  const serve = async (provider: string, country: string, method: string, ...directions: ReadonlyArray<string>) => {
    for (const direction of directions) {
      await cli("providers", "add", provider, "--country", country, "--method", method, "--direction", direction)
    }
  }
  await serve("pawapay", "KE", "mobile_money", "inbound", "outbound")
  await serve("pawapay", "UG", "mobile_money", "inbound")
  await serve("paystack", "NG", "bank_transfer", "inbound", "outbound")
  await serve("circle", "NG", "crypto", "inbound", "outbound")
  await serve("paypal", "KE", "card", "inbound")
}, 120_000)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

describe.sequential("In live mode", () => {
  let ada = ""
  let member = ""
  let payment = ""
  let transaction = ""

  it("organisations, people and their rights", async () => {
    const { call, until } = calls
    const made = await call("POST /organizations", {
      headers: admin,
      body: { name: "Acme", country: "NG", currency: "NGN", email: "a@acme.example" }
    })
    expect(made["kyb_status"]).toBe("not_started")
    await call("GET /organizations", { headers: admin })
    await call("GET /organizations/{org_id}", { path: { org_id }, headers: key })
    await call("PATCH /organizations/{org_id}", { path: { org_id }, headers: admin, body: { features: ["escrow"] } })
    await call("GET /users/me", { headers: owner })
    const users = (await call("GET /users/list", { headers: owner })) as unknown as ReadonlyArray<Fields>
    ada = users[0]!["user_id"] as string
    const invitations = "POST /organizations/{org_id}/members"
    await call(invitations, { path: { org_id }, headers: owner, body: { email: "brian@k.example", role: "member" } })
    const mail = live.mail.received.find(({ to }) => to.includes("brian@k.example"))!
    const token = /invitations\/([\w-]+)\/accept/.exec(mailBody(mail).replace(/=\r\n/g, ""))![1]!
    const brian = bearer(await live.token("brian", { email: "brian@k.example", email_verified: true }))
    await call("POST /organizations/invitations/{token}/accept", { path: { token }, headers: brian })
    await call(invitations, { path: { org_id }, headers: owner, body: { email: "carol@k.example", role: "staff" } })
    const [open] = (await call("GET /organizations/{org_id}/invitations", {
      path: { org_id },
      headers: owner
    })) as unknown as ReadonlyArray<Fields>
    await call("DELETE /organizations/{org_id}/invitations/{invitation_id}", {
      path: { org_id, invitation_id: open!["invitation_id"] as string },
      headers: owner
    })
    const members = (await call("GET /organizations/{org_id}/members", {
      path: { org_id },
      headers: owner
    })) as unknown as ReadonlyArray<Fields>
    member = members.find(({ role }) => role === "member")!["user_id"] as string
    const path = { org_id, user_id: member }
    await call("PATCH /organizations/{org_id}/members/{user_id}", { path, headers: owner, body: { role: "staff" } })
    const permissions = "/organizations/{org_id}/members/{user_id}/permissions"
    await call(`POST ${permissions}`, { path, headers: owner, body: { permission: "payouts" } })
    await call(`PUT ${permissions}`, { path, headers: owner, body: { permissions: ["payouts", "refunds"] } })
    await call(`GET ${permissions}/check`, { path, query: { permission: "payouts" }, headers: owner })
    await call(`DELETE ${permissions}/{permission}`, { path: { ...path, permission: "payouts" }, headers: owner })
    const kyb = await call("POST /organizations/{org_id}/kyb", { path: { org_id }, headers: owner })
    const body = JSON.stringify({ customer_id: kyb["kyb_customer_id"], status: "approved" })
    const proof = createHmac("sha256", KYB_SECRET).update(body).digest("hex")
    await call("POST /organizations/webhook/kyb", { headers: { "x-kyb-signature": proof }, body })
    await until(
      "GET /organizations/{org_id}",
      { path: { org_id }, headers: key },
      ({ kyb_status }) => kyb_status === "approved"
    )
  })

  it("API keys", async () => {
    const { call } = calls
    const path = "/public/api-keys"
    const { api_key_id } = await call(`POST ${path}`, { headers: owner, body: { name: "Second", role: "staff" } })
    await call(`GET ${path}`, { headers: owner })
    const next = await call(`POST ${path}/{api_key_id}/rotate`, { path: { api_key_id }, headers: owner, body: {} })
    expect(next["api_key"]).toMatch(/^ck_live_/)
    await call(`DELETE ${path}/{api_key_id}`, {
      path: { api_key_id: next["api_key_id"] as string },
      headers: owner
    })
  })

  it("provider configurations", async () => {
    const { call } = calls
    const path = "/payments/provider-configs"
    const config = await call(`POST ${path}`, {
      headers: admin,
      body: { provider: "mtn_momo", country: "UG", payment_method: "mobile_money", direction: "inbound" }
    })
    await call(`GET ${path}`, { headers: admin })
    const at = { provider: "mtn_momo", config_id: config["config_id"] as string }
    await call(`GET ${path}/{provider}/{config_id}`, { path: at, headers: admin })
    await call(`PATCH ${path}/{provider}/{config_id}`, { path: at, headers: admin, body: { priority: 20 } })
    await call(`DELETE ${path}/{provider}/{config_id}`, { path: at, headers: admin })
    const own = await call(`POST ${path}`, {
      headers: admin,
      body: { provider: "paypal", country: "GB", payment_method: "card", direction: "inbound", org_id }
    })
    const paypal = live.fakes.find(({ fake }) => fake.name === "paypal")!.running.credentials
    await call(`PUT ${path}/{provider}/{config_id}/credentials`, {
      path: { provider: "paypal", config_id: own["config_id"] as string },
      headers: admin,
      body: { client_id: "another-client", client_secret: paypal["client_secret"] }
    })
    await call("GET /payments/provider-health", { headers: admin })
    const setups = (await call("GET /payments/providers", { headers: admin })) as unknown as ReadonlyArray<Fields>
    const { provider } = setups.find(({ is_set }) => is_set === true)!
    await call("POST /payments/providers/{provider}/test", { path: { provider: String(provider) }, headers: admin })
  })

  it("rates and what the countries have", async () => {
    const { call } = calls
    const path = "/organizations/admin/exchange-rate"
    const pairs = [
      ["USD", "KES", 129.35],
      ["NGN", "USD", 0.000625],
      ["USD", "USDC", 1]
    ] as const
    for (const [from_currency, to_currency, rate] of pairs) {
      await call(`PUT ${path}`, { headers: admin, body: { from_currency, to_currency, rate } })
    }
    await call(`GET ${path}`, { headers: key, query: { fromCurrency: "USD", toCurrency: "KES" } })
    await call("GET /organizations/admin/exchange-rates", { headers: admin })
    await call("GET /fees", { headers: owner })
    await call("POST /externals/networks", { headers: key, body: { country: "KE" } })
    await call("POST /payments/bank-validation/validate-uk-account", {
      headers: key,
      body: { sortCode: "20-00-00", accountNumber: "55779911" }
    })
  })

  it("webhooks", async () => {
    const { call, until } = calls
    const path = "/public/webhooks"
    const endpoint = { endpoint_url: "https://93.184.216.34/hooks", events: ["*"] }
    const { webhook_id } = await call(`POST ${path}`, { headers: owner, body: endpoint })
    await call(`GET ${path}`, { headers: owner })
    const at = { path: { webhook_id }, headers: owner }
    await call(`GET ${path}/{webhook_id}`, at)
    await call(`PATCH ${path}/{webhook_id}`, { ...at, body: { status: "active" } })
    await call(`POST ${path}/{webhook_id}/rotate-secret`, { ...at, body: {} })
    const about = {
      transaction_id: randomUUID(),
      status: "completed",
      amount: 1500.5,
      currency: "KES",
      updated_at: "2026-03-02T09:15:00Z"
    }
    await call(`POST ${path}/notify`, { headers: owner, body: { org_id, transaction_data: about } })
    const deliveries = await until(
      `GET ${path}/deliveries`,
      { headers: owner, query: { status: "dead" } },
      (data) => (data as unknown as ReadonlyArray<Fields>).length > 0
    )
    const { delivery_id } = (deliveries as unknown as ReadonlyArray<Fields>)[0]!
    await call(`GET ${path}/{webhook_id}/trends`, at)
    await call(`GET ${path}/deliveries/{delivery_id}`, { path: { delivery_id }, headers: owner })
    await call(`POST ${path}/deliveries/{delivery_id}/replay`, { path: { delivery_id }, headers: owner })
    await call(`POST ${path}/{webhook_id}/replay`, at)
    await call("GET /public/events", { headers: owner })
    await call(`DELETE ${path}/{webhook_id}`, at)
  })

  it("payins, refunds, beneficiaries and payouts", async () => {
    const { call, until } = calls
    await call("POST /payments-init/route-preview", { headers: key, body: payin() })
    const { response = {}, ...first } = await call(INITIATE, { headers: once(key), body: payin() })
    payment = (first["payment_id"] ?? (response as Fields)["payment_id"]) as string
    transaction = (await reaches(payment, "completed"))["transaction_id"] as string
    await call("GET /payments/transaction/{transaction_id}", { path: { transaction_id: transaction }, headers: key })
    await call("GET /payments/{payment_id}/timeline", { path: { payment_id: payment }, headers: key })
    await call("GET /transactions", { headers: key })
    await call("POST /payments-init/{payment_id}/action", {
      path: { payment_id: payment },
      headers: once(key),
      body: { action: "refund", amount: 1000 }
    })
    const { beneficiary_id } = await beneficiary()
    await call("GET /beneficiaries", { headers: key })
    await call("GET /beneficiaries/{beneficiary_id}", { path: { beneficiary_id }, headers: key })
    await call("PATCH /beneficiaries/{beneficiary_id}", {
      path: { beneficiary_id },
      headers: key,
      body: { momo_details: { phone_number: "+254722000111" } }
    })
    const payout = await call(INITIATE, {
      headers: once(key),
      body: payin({
        amount: 800,
        target_amount: 800,
        direction: "payout",
        beneficiary_id,
        mobile_money_details: { provider: "mpesa", phone_number: "+254722000111" }
      })
    })
    await reaches(payout["payment_id"] as string, "completed")
    const request = await call("POST /users/notifications/verification-request", {
      headers: key,
      body: {
        user_id: ada,
        target_type: "beneficiary",
        transaction_id: transaction,
        verification_type: "bvn",
        triggered_by: "compliance review",
        beneficiary_id,
        priority: "high"
      }
    })
    const requests = "/users/verification-requests"
    const [asked] = (await call(`GET ${requests}`, { headers: key })) as unknown as ReadonlyArray<Fields>
    const request_id = (request["request_id"] ?? asked!["request_id"]) as string
    await call(`GET ${requests}/{request_id}`, { path: { request_id }, headers: key })
    await call(`PATCH ${requests}/{request_id}`, { path: { request_id }, headers: key, body: { status: "approved" } })
    await call("DELETE /beneficiaries/{beneficiary_id}", { path: { beneficiary_id }, headers: key })
    await until("GET /organizations/{org_id}/balances", { path: { org_id }, headers: key }, () => true)
  })

  it("an on-ramp", async () => {
    const { call } = calls
    const ramp = await call("POST /payments-init/ramp", {
      headers: once(key),
      body: {
        fiat_currency: "NGN",
        fiat_amount: 160_000,
        client_rate: 0.000625,
        crypto_currency: "USDC",
        crypto_network: "ETHEREUM",
        country: "NG",
        customer_type: "retail",
        wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
        payer_details: { name: "Chidi Okafor", email: "chidi@example.com", phone: "+2348012345678" },
        bank_details: { account_number: "0123456789", bank_code: "058", bank_name: "GTBank" }
      }
    })
    await reaches(ramp["payment_id"] as string, "completed")
  })

  it("items that an operator decides", async () => {
    const { call, until } = calls
    const fromUganda = (amount: number) =>
      payin({
        amount,
        target_amount: amount,
        currency: "UGX",
        target_currency: "UGX",
        country: "UG",
        payer_details: { name: "Okello", email: "okello@example.com", phone: "+256772123456" },
        mobile_money_details: { provider: "MTN", phone_number: "+256772123456" }
      })
    // 14: less arrives than was asked for.
    const short = await call(INITIATE, { headers: once(key), body: fromUganda(6014) })
    const other = await call(INITIATE, { headers: once(key), body: fromUganda(7014) })
    const waiting = (id: unknown) => (data: Fields) =>
      (data as unknown as ReadonlyArray<Fields>).some(({ payment_id }) => payment_id === id)
    await until("GET /operations/queue", { headers: admin, query: { limit: "100" } }, waiting(short["payment_id"]))
    await until("GET /operations/queue", { headers: admin, query: { limit: "100" } }, waiting(other["payment_id"]))
    const ofShort = { path: { payment_id: short["payment_id"] as string }, headers: admin }
    await call("GET /operations/payments/{payment_id}/decisions", ofShort)
    await call("POST /operations/payments/{payment_id}/give-back", { ...ofShort, body: { reason: "Paid too little" } })
    await call("POST /operations/payments/{payment_id}/resolve", {
      path: { payment_id: other["payment_id"] as string },
      headers: admin,
      body: { outcome: "completed", reason: "The customer owes the rest" }
    })
  })

  it("virtual accounts and escrow, funded by a payin and from the balance", async () => {
    const { call, until } = calls
    const account = await openAccount(ada)
    const other = await openAccount(member)
    const account_id = account["account_id"] as string
    const paid = await call(INITIATE, { headers: once(key), body: payin({ virtual_account_id: account_id }) })
    await reaches(paid["payment_id"] as string, "completed")
    const at = { path: { account_id }, headers: key }
    await until("GET /virtual-accounts/{account_id}", at, ({ balance }) => Number(balance) === 150_000)
    await call("GET /virtual-accounts", { headers: key })
    await call("POST /virtual-accounts/{account_id}/fund", { ...at, headers: once(key), body: { amount: 10_000 } })
    await call("POST /virtual-accounts/transfer", {
      headers: once(key),
      body: { from_account_id: account_id, to_account_id: other["account_id"], amount: 500 }
    })
    await call("POST /virtual-accounts/transfer", {
      headers: once(key),
      body: { from_account_id: account_id, to_account_id: "settlement", amount: 500 }
    })
    const { beneficiary_id } = await beneficiary()
    await call("POST /virtual-accounts/{account_id}/withdraw", {
      ...at,
      headers: once(key),
      body: { amount: 700, beneficiary_id }
    })
    const rows = (await call("GET /virtual-accounts/{account_id}/transactions", at)) as unknown as ReadonlyArray<Fields>
    await call("GET /virtual-accounts/transactions/{transaction_id}", {
      path: { transaction_id: rows[0]!["transaction_id"] as string },
      headers: key
    })
    await call("POST /virtual-accounts/{account_id}/freeze", {
      path: at.path,
      headers: admin,
      body: { reason: "Check" }
    })
    await call("POST /virtual-accounts/{account_id}/unfreeze", { path: at.path, headers: admin })
    const simulated = await calls.send(sandboxOnly[0]!, { ...at, body: { amount: 1 } })
    expect(simulated.status).toBe(404)

    const path = "/virtual-accounts/escrow"
    // No provider serves bank transfers there, so the surveyor's payout waits for a decision.
    const unserved = await beneficiary({
      account_type: "bank",
      momo_details: undefined,
      bank_details: {
        account_name: "Sam Surveyor",
        account_number: "1100223344",
        bank_code: "01",
        bank_name: "KCB",
        country: "KE"
      }
    })
    const escrow = await call(`POST ${path}`, {
      headers: owner,
      body: {
        name: "Clinic",
        currency: "KES",
        account_id,
        parties: [{ name: "Builder" }, { name: "Surveyor", beneficiary_id: unserved["beneficiary_id"] }],
        milestones: [
          {
            label: "Foundation",
            sequence: 1,
            expected_disbursement: 4000,
            parties: [
              { name: "Builder", split_type: "percentage", split_value: 60 },
              { name: "Surveyor", split_type: "percentage", split_value: 40 }
            ]
          },
          {
            label: "Roof",
            sequence: 2,
            expected_disbursement: 2000,
            parties: [{ name: "Builder", split_type: "percentage", split_value: 100 }]
          }
        ]
      }
    })
    const escrow_id = escrow["escrow_id"] as string
    await call(`GET ${path}`, { headers: owner })
    await call(`GET ${path}/{escrow_id}`, { path: { escrow_id }, headers: owner })
    await call(`POST ${path}/{escrow_id}/fund`, { path: { escrow_id }, headers: once(owner), body: { amount: 6000 } })
    const [first] = escrow["milestones"] as ReadonlyArray<Fields>
    const milestone = { path: { escrow_id, milestone_id: first!["milestone_id"] as string }, headers: once(owner) }
    await call(`POST ${path}/{escrow_id}/milestones/{milestone_id}/contract`, {
      ...milestone,
      body: { reference: "c-1" }
    })
    const parties = (escrow["parties"] as ReadonlyArray<Fields>).map(({ party_id }) => party_id as string)
    await call(`PUT ${path}/{escrow_id}/milestones/{milestone_id}/parties`, {
      ...milestone,
      body: {
        parties: [
          { party_id: parties[0], split_value: 70 },
          { party_id: parties[1], split_value: 30 }
        ]
      }
    })
    await call(`POST ${path}/{escrow_id}/milestones/{milestone_id}/disburse`, {
      ...milestone,
      headers: once(owner),
      body: {}
    })
    const blocked = async () => {
      const isBlocked = ({ kind }: Fields) => kind === "escrow_payout"
      const items = await until("GET /operations/queue", { headers: owner, query: { limit: "100" } }, (data) =>
        (data as unknown as ReadonlyArray<Fields>).some(isBlocked)
      )
      const { item_id } = (items as unknown as ReadonlyArray<Fields>).find(isBlocked)!
      return { path: { escrow_id, payout_id: item_id as string }, headers: once(owner) }
    }
    await call(`POST ${path}/{escrow_id}/payouts/{payout_id}/retry`, await blocked())
    await call(`POST ${path}/{escrow_id}/payouts/{payout_id}/resolve`, {
      ...(await blocked()),
      body: { reason: "Paid in cash" }
    })
    await call(`POST ${path}/{escrow_id}/parties/{party_id}/payout`, {
      path: { escrow_id, party_id: parties[0]! },
      headers: once(owner),
      body: { beneficiary_id }
    })
    await call(`POST ${path}/{escrow_id}/cancel`, {
      path: { escrow_id },
      headers: once(owner),
      body: { reason: "Over" }
    })
  })

  it("bank details of virtual accounts, transfers to them, and one that fits no account", async () => {
    const { call, until } = calls
    const paystack = live.fakes.find(({ fake }) => fake.name === "paystack")!.running
    const holder = { name: "Ada Obi", email: "ada@example.com", phone: "+2348012345678" }
    const opened = await openAccount(ada, { currency: "NGN", payment_rail: "bank_transfer", holder })
    const at = { path: { account_id: opened["account_id"] as string }, headers: key }
    const account = await until("GET /virtual-accounts/{account_id}", at, (one) => one["details_status"] === "issued")
    expect(account["provider"]).toBe("paystack")
    const sends = (account_number: string, amount: string, reference: string) =>
      fetch(`http://127.0.0.1:${paystack.port}/demo-bank/transfers`, {
        method: "POST",
        headers: { authorization: `Bearer ${paystack.credentials["secret_key"]}`, "content-type": "application/json" },
        body: JSON.stringify({ account_number, amount, sender: "Chidi", reference })
      })
    await sends((account["details"] as Fields)["account_number"] as string, "150000", "live-1")
    await until("GET /virtual-accounts/{account_id}", at, ({ balance }) => Number(balance) === 1500)
    await sends("0000000000", "20000", "live-2")
    const isTransfer = ({ kind }: Fields) => kind === "incoming_transfer"
    const queue = await until("GET /operations/queue", { headers: admin }, (items) =>
      (items as unknown as ReadonlyArray<Fields>).some(isTransfer)
    )
    const { item_id } = (queue as unknown as ReadonlyArray<Fields>).find(isTransfer)!
    await call("POST /operations/incoming-transfers/{transfer_id}/resolve", {
      path: { transfer_id: item_id as string },
      headers: admin,
      body: { outcome: "credited", account_id: at.path.account_id, reason: "The sender confirmed it" }
    })
    await until("GET /virtual-accounts/{account_id}", at, ({ balance }) => Number(balance) === 1700)
  })

  it("account numbers of Flutterwave and addresses of Circle, with transfers by callback", async () => {
    const { until } = calls
    const fakeOf = (name: string) => live.fakes.find(({ fake }) => fake.name === name)!.running
    const issued = async (about: Readonly<Record<string, unknown>>) => {
      const opened = await openAccount(ada, about)
      const at = { path: { account_id: opened["account_id"] as string }, headers: key }
      const isIssued = (one: Fields) => one["details_status"] === "issued"
      const account = await until("GET /virtual-accounts/{account_id}", at, isIssued)
      return { at, provider: account["provider"], details: account["details"] as Readonly<Record<string, string>> }
    }
    const sends = (name: string, path: string, secret: string, body: object) =>
      fetch(`http://127.0.0.1:${fakeOf(name).port}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${fakeOf(name).credentials[secret]}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const holds = (at: Parameters<typeof until>[1], amount: number) =>
      until("GET /virtual-accounts/{account_id}", at, ({ balance }) => Number(balance) === amount)
    // Paystack refuses a holder without a phone number.
    const naira = await issued({ currency: "NGN", payment_rail: "bank_transfer", holder: { name: "Ada Obi" } })
    expect(naira.provider).toBe("flutterwave")
    const { account_number } = naira.details
    await sends("flutterwave", "/demo-bank/transfers", "secret_key", { account_number, amount: "900", sender: "Chidi" })
    await holds(naira.at, 900)
    const usdc = await issued({ currency: "USDC", payment_rail: "wallet" })
    expect(usdc.provider).toBe("circle")
    const { address } = usdc.details
    await sends("circle", "/demo-chain/transfers", "api_key", { address, amount: "25.5", sender: "Chidi" })
    await holds(usdc.at, 25.5)
  })

  it("payment links", async () => {
    const { call } = calls
    const path = "/orgs/{org_id}/payment-links"
    const link = await call(`POST ${path}`, {
      path: { org_id },
      headers: key,
      body: { amount: 1500, currency: "KES", country: "KE", amount_type: "fixed", description: "Invoice 1042" }
    })
    await call(`GET ${path}`, { path: { org_id }, headers: key })
    const at = { path: { org_id, link_id: link["link_id"] as string }, headers: key }
    await call(`GET ${path}/{link_id}`, at)
    await call(`DELETE ${path}/{link_id}`, at)
  })

  it("rules, lists and reserves", async () => {
    const { call } = calls
    const terms = { subject: "phone", max_count: 1000, window_seconds: 3600, action: "alert" }
    for (const [path, at] of [
      ["/organizations/{org_id}", { org_id }],
      ["", {}]
    ] as const) {
      await call(`PUT ${path}/rules/{rule_name}`, { path: { ...at, rule_name: "walk" }, headers: admin, body: terms })
      await call(`GET ${path}/rules`, { path: at, headers: admin })
      await call(`POST ${path}/rules/try`, { path: at, headers: admin, body: terms })
      await call(`DELETE ${path}/rules/{rule_name}`, { path: { ...at, rule_name: "walk" }, headers: admin })
      const blocked = { list: "block", subject: "email", value: "mallory@example.com" }
      const { entry_id } = await call(`POST ${path}/lists`, { path: at, headers: admin, body: blocked })
      await call(`GET ${path}/lists`, { path: at, headers: admin })
      const name = path === "" ? "platform_entry_id" : "entry_id"
      await call(`DELETE ${path}/lists/{${name}}`, { path: { ...at, [name]: entry_id }, headers: admin })
    }
    const reserves = "/organizations/{org_id}/reserves"
    const rule = { payment_method: "card", basis_points: 1000, reserve_days: 180, delay_days: 2 }
    await call(`PUT ${reserves}`, { path: { org_id }, headers: admin, body: rule })
    await call(`GET ${reserves}`, { path: { org_id }, headers: key })
  })

  it("KYB applications that people decide", async () => {
    const { call } = calls
    const path = "/kyb/applications"
    for (const [decision, body] of [
      ["approve", {}],
      ["reject", { reason: "The registration has expired" }]
    ] as const) {
      const made = await call("POST /organizations", {
        headers: admin,
        body: { name: decision, country: "KE", currency: "KES", email: `${decision}@k.example` }
      })
      const applied = await call("POST /organizations/{org_id}/kyb", { path: made, headers: admin })
      const at = { path: { kyb_customer_id: applied["kyb_customer_id"] }, headers: admin }
      await call(`GET ${path}`, { headers: admin })
      await call(`GET ${path}/{kyb_customer_id}`, at)
      await call(`POST ${path}/{kyb_customer_id}/${decision}`, { ...at, body })
    }
  })

  it("figures, balances, saved views and the audit log", async () => {
    const { call } = calls
    const filters = { status: "failed" }
    const { view_id } = await call("POST /saved-views", { headers: owner, body: { name: "Failed", filters } })
    await call("GET /saved-views", { headers: owner })
    await call("PATCH /saved-views/{view_id}", { path: { view_id }, headers: owner, body: { name: "Failures" } })
    await call("DELETE /saved-views/{view_id}", { path: { view_id }, headers: owner })
    const days = { dateFrom: "2026-01-01", dateTo: "2026-12-31" }
    await call("GET /audit-log", { headers: owner })
    await call("GET /users/analytics/geographic-distribution", { headers: key })
    await call("GET /transactions/analytics/trends", { headers: admin, query: days })
    await call("GET /organizations/{org_id}/trends", { path: { org_id }, headers: owner, query: days })
    await call("GET /organizations/{org_id}/balances", { path: { org_id }, headers: key })
    await call("GET /organizations/{org_id}/balances/trends", { path: { org_id }, headers: key, query: days })
    await call("GET /ledger/balances", { headers: admin })
    await call("DELETE /organizations/{org_id}/members/{user_id}", {
      path: { org_id, user_id: member },
      headers: owner
    })
  })

  it("every operation has succeeded, and the books are right", async () => {
    const names = operationsOf(await calls.document()).map(({ name }) => name)
    expect(names.filter((name) => !calls.succeeded.has(name) && !sandboxOnly.includes(name))).toEqual([])
    const check = await live.cli<Fields>("ledger", "check")
    expect(check["problems"]).toEqual([])
  })
})
