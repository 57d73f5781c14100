/**
 * Lists of the command line on a terminal of 80 columns: a line or two for each row, with its distinguishing columns.
 */
import { describe, expect, it } from "vitest"
import { WireNumber } from "../../src/domain/Decimal.ts"
import type { TextLayout } from "../../src/cli/shared/Table.ts"
import { accountTable } from "../../src/cli/commands/AccountCommands.ts"
import { keyTable, userTable } from "../../src/cli/commands/PeopleCommands.ts"
import { orgTable } from "../../src/cli/commands/OrgCommands.ts"
import { paymentTable, queueTable, summaryText } from "../../src/cli/commands/PaymentText.ts"
import { configTable } from "../../src/cli/commands/ProviderCommands.ts"
import { endpointTable } from "../../src/cli/commands/WebhookCommands.ts"

const id = (last: number) => `0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e${String(last).padStart(2, "0")}`
const created_at = "2026-11-16T16:46:00.000Z"
const five = [1, 2, 3, 4, 5]

const payment = {
  payment_id: id(1),
  org_id: id(2),
  status: "failed",
  amount: new WireNumber("1500.00"),
  refunded_amount: new WireNumber("0.00"),
  refunds: [],
  currency: "KES",
  direction: "inbound",
  payment_method: "bank_transfer",
  country: "KE",
  provider: null,
  failure: { provider: "stripe" },
  comments: null,
  client_reference: null,
  payer_details: {},
  target_amount: new WireNumber("1500.00"),
  target_currency: "KES",
  recipient_info: {},
  created_at
} as const

const tables: ReadonlyArray<readonly [name: string, laid: TextLayout, titles: ReadonlyArray<string>]> = [
  [
    "accounts",
    accountTable(
      five.map((one) => ({
        account_id: id(one),
        org_id: id(9),
        virtual_account_name: "Acme Pay KES",
        balance: new WireNumber("1500.00"),
        currency: "KES",
        status: "active",
        created_at
      }))
    ),
    ["ID", "NAME", "BALANCE", "STATUS"]
  ],
  [
    "API keys",
    keyTable(
      five.map((one) => ({
        api_key_id: id(one),
        prefix: "ck_test_vfQH",
        name: "Checkout server",
        role: "org-admin",
        status: "active",
        expires_at: null,
        created_at
      }))
    ),
    ["ID", "PREFIX", "NAME", "STATUS"]
  ],
  [
    "API keys that expire",
    keyTable(
      five.map((one) => ({
        api_key_id: id(one),
        prefix: "ck_test_vfQH",
        name: "Checkout server",
        role: "org-admin",
        status: "expiring",
        expires_at: created_at,
        created_at
      }))
    ),
    ["ID", "NAME", "STATUS"]
  ],
  [
    "organisations",
    orgTable(
      five.map((one) => ({
        org_id: id(one),
        name: "Globex Money",
        country: "NG",
        currency: "NGN",
        email: "ops@globex.example",
        features: ["escrow"],
        kyb_status: "approved",
        created_at
      }))
    ),
    ["ID", "NAME", "COUNTRY", "CURRENCY"]
  ],
  [
    "users",
    userTable(
      five.map((one) => ({
        user_id: id(one),
        email: "org-admin@globex.example",
        country: null,
        role: "org-admin",
        created_at
      }))
    ),
    ["ID", "E-MAIL", "ROLE"]
  ],
  [
    "providers",
    configTable(
      five.map((one) => ({
        config_id: id(one),
        provider: "flutterwave",
        country: "KE",
        payment_method: "bank_transfer",
        direction: "outbound",
        priority: 204,
        is_active: true,
        org_id: null
      })),
      () => "no credentials: set FLUTTERWAVE_CLIENT_ID and FLUTTERWAVE_CLIENT_SECRET",
      () => "2 accepted, 1 declined"
    ),
    ["CONFIG", "PROVIDER", "CORRIDOR", "STATE"]
  ],
  [
    "what waits for a person",
    queueTable([
      ...five.slice(1).map((one) => ({
        created_at,
        kind: "unknown_outcome" as const,
        item_id: id(one),
        payment_id: id(one),
        webhook_id: null,
        escrow_id: null,
        detail: "fiat has not said what became of it."
      })),
      {
        created_at,
        kind: "disabled_endpoint" as const,
        item_id: id(1),
        payment_id: null,
        webhook_id: id(1),
        escrow_id: null,
        detail: "It failed for three days."
      }
    ]),
    ["KIND", "ABOUT", "WHAT"]
  ],
  [
    "webhooks",
    endpointTable(
      five.map((one) => ({
        webhook_id: id(one),
        org_id: id(9),
        endpoint_url: "https://shop.example/hooks/corridor/live",
        events: ["payment.*", "kyb.approved"],
        status: "active",
        disabled_reason: null,
        created_at
      }))
    ),
    ["ID", "URL", "STATUS"]
  ]
]

describe("on a terminal of 80 columns", () => {
  it.each(tables)("%s are a table", (_, { fit }, titles) => {
    const lines = fit(80).split("\n")
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.length).toBeLessThanOrEqual(1 + 2 * five.length)
    const shown = lines[0]!.split(/ {2,}/)
    expect(shown).toEqual(expect.arrayContaining([...titles]))
    for (const one of five) expect(fit(80)).toContain(id(one))
  })
})

describe("a payout between currencies", () => {
  it("shows what it becomes, at which rate, and who gets it, but no payer", () => {
    const text = summaryText({
      ...payment,
      direction: "outbound",
      amount: new WireNumber("100.00"),
      currency: "EUR",
      target_amount: new WireNumber("14059.78"),
      target_currency: "KES",
      recipient_info: { fname: "Ada", lname: "Wanjiku", momo_details: { phone_number: "+254712345678" } }
    })
    expect(text).toMatch(/Amount +100\.00 EUR$/m)
    expect(text).toMatch(/Target +14059\.78 KES, at about 140\.598$/m)
    expect(text).toMatch(/Beneficiary +Ada Wanjiku, \+254712345678$/m)
    expect(text).not.toContain("Payer")
    expect(summaryText(payment)).not.toContain("Target")
  })
})

describe("an empty queue", () => {
  it("names the commands for what else may wait for a person", () => {
    expect(queueTable([]).text).toMatch(/corridor kyb list --status pending.*corridor rates list/)
  })
})

describe("a payment that every provider declined", () => {
  it("names who refused it last", () => {
    expect(summaryText(payment)).toMatch(/Provider +stripe$/m)
    expect(paymentTable([payment]).text).toContain("stripe")
  })

  it("waits for no provider where none was asked", () => {
    expect(summaryText({ ...payment, failure: null })).toMatch(/Provider +none$/m)
    expect(summaryText({ ...payment, failure: null, status: "initiated" })).toMatch(/Provider +none yet$/m)
  })
})
