/** Virtual accounts: balances of an organisation on the platform, and their transactions. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { AccountId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Ids.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { CountryCode } from "../../domain/Country.ts"
import { AnyCurrencyCode, CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { get, post, examples, operation, apiGroup, exampleTimes, pageExample } from "./Operation.ts"
import { envelope, idOf, idParam, OrgParam, pageOf, PageParams, success, Timestamp, timestamps } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { optionalNullable, text } from "./RequestFields.ts"

const PaymentRail = Schema.Literal("bank_transfer", "wallet")

/** USDC is the only asset that providers issue addresses for. */
const AccountCurrency = Schema.Union(CurrencyCode, Schema.Literal("USDC")).annotations({
  identifier: "AccountCurrency",
  description: "ISO 4217 currency code, in upper case. Extension: or USDC",
  message: () => ({
    message: 'is neither an active ISO 4217 currency code such as "KES" nor USDC, in upper case',
    override: true
  })
})

export const VirtualAccount = Schema.Struct({
  account_id: idOf(AccountId),
  org_id: idOf(OrgId),
  user_id: idOf(UserId),
  customer_id: Schema.NullOr(Schema.String).annotations({ description: "As it was sent" }),
  virtual_account_name: Schema.String.annotations({ description: "Organisation and currency" }),
  currency: AnyCurrencyCode,
  balance: WireDecimal.annotations({ description: "Available balance, without held money" }),
  status: Schema.Literal("active", "frozen", "closed"),
  frozen_reason: Schema.NullOr(Schema.String).annotations({ description: "Extension. Null if not frozen" }),
  account_type: Schema.Literal("currency"),
  provider: Schema.NullOr(ProviderName).annotations({
    description:
      "Provider that holds the account: `fiat` in the sandbox, in live mode the provider that issued its details. Null: no provider did; fund it by a payin with `virtual_account_id` or from the settlement balance"
  }),
  payment_rail: Schema.NullOr(PaymentRail).annotations({
    description: "Extension. Rail that details were asked for; null: none"
  }),
  details_status: Schema.Literal("none", "pending", "issued", "refused").annotations({
    description:
      "Extension. `pending`: the provider is asked for them; `refused`: it does not issue them, `details_message` says why"
  }),
  details: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.String })).annotations({
    description:
      "Extension. Bank details or address for payers, as issued, such as `account_number`, `account_name`, `bank_name`, `bank_code`, `iban`, `bic`, `reference`, `address`, `network`"
  }),
  details_message: Schema.NullOr(Schema.String).annotations({
    description: "Extension. Why there are no details, and how to fund the account instead"
  }),
  ...timestamps
}).annotations({ identifier: "VirtualAccount" })

export const VirtualTransaction = Schema.Struct({
  transaction_id: idOf(TransactionId).annotations({ description: "UUIDv7; the same as of the withdrawal's payment" }),
  account_id: idOf(AccountId),
  org_id: idOf(OrgId),
  user_id: idOf(UserId).annotations({ description: "The account's user" }),
  type: Schema.Literal("credit", "debit"),
  status: Schema.Literal("pending", "completed", "failed", "reversed").annotations({
    description: "Withdrawals are `pending` until the provider's final answer; `reversed`: paid and returned"
  }),
  amount: WireDecimal,
  fee: WireDecimal.annotations({ description: "Charged on top of `amount`" }),
  currency: AnyCurrencyCode,
  description: Schema.NullOr(Schema.String),
  payment_rail: Schema.Literal("bank_transfer", "card", "mobile_money", "wallet", "internal", "escrow"),
  reference: Schema.String.annotations({
    description: "`payment_id` of a withdrawal or payin; shared by a transfer's sides"
  }),
  ...timestamps
}).annotations({ identifier: "VirtualTransaction" })

/** The account that a holder sends from. */
export const HolderBankAccount = Schema.Struct({
  account_number: text(35).pipe(Schema.minLength(6)),
  routing_number: Schema.String.pipe(Schema.pattern(/^\d{9}$/, { message: () => "must have 9 digits" })),
  address: Schema.Struct({
    line1: text(255),
    city: text(100),
    district: Schema.optional(text(16, "State or province; two letters in the US and Canada")),
    postal_code: text(16),
    country: CountryCode
  }).annotations({ description: "Of the holder" })
}).annotations({ identifier: "HolderBankAccount", description: "A bank account in the US" })

export const CreateVirtualAccount = Schema.Struct({
  org_id: Schema.String.annotations({ description: "The credential's own organisation. Any other is 403." }),
  user_id: Schema.String.annotations({ description: "Owner: a member of the organisation" }),
  currency: AccountCurrency,
  customer_id: optionalNullable(text(255, "Your own id of the account's customer")),
  org_name: optionalNullable(text(200, "Beginning of the name; default: the organisation's name")),
  payment_rail: optionalNullable(PaymentRail).annotations({
    description:
      "Extension. Asks a configured provider for details of the account, in its currency: `bank_transfer` for bank details, `wallet` for the address of an account in a crypto asset"
  }),
  holder: optionalNullable(
    Schema.Struct({
      name: Schema.optional(text(100)),
      email: Schema.optional(EmailAddress),
      phone: Schema.optional(text(20)),
      bank_account: Schema.optional(HolderBankAccount)
    })
  ).annotations({
    description:
      "Extension. For whom the details are issued. Default: the name of the account and the e-mail address of the organisation. Some providers require `phone`; Circle takes wires in USD from `bank_account` only"
  })
}).annotations({ identifier: "CreateVirtualAccount" })

export const Withdraw = Schema.Struct({
  amount: AmountInput,
  beneficiary_id: Schema.String.annotations({ description: "Paid in the account's currency" }),
  description: optionalNullable(text(255, "For the beneficiary, where the provider passes it on"))
}).annotations({ identifier: "Withdraw" })

export const Transfer = Schema.Struct({
  from_account_id: Schema.String,
  to_account_id: Schema.String.annotations({
    description:
      "Another account of the organisation, or `settlement`: its settlement balance, in the currency of the account or of `org_rate_id`"
  }),
  amount: AmountInput.annotations({ description: "In the currency of `from_account_id`" }),
  org_rate_id: optionalNullable(Schema.String).annotations({
    description: "Unused locked rate, if currencies differ; else 400"
  })
}).annotations({ identifier: "Transfer" })

export const FundAccount = Schema.Struct({
  amount: AmountInput.annotations({
    description: "In the account's currency; with `org_rate_id` in the currency that the rate is from"
  }),
  org_rate_id: optionalNullable(Schema.String).annotations({
    description: "A locked rate from another currency of your settlement balance to the account's, not used yet"
  })
}).annotations({ identifier: "FundAccount" })

export const SimulateDeposit = Schema.Struct({ amount: AmountInput }).annotations({ identifier: "SimulateDeposit" })

export const IncomingTransfer = Schema.Struct({
  transfer_id: Schema.String,
  provider: ProviderName,
  kind: Schema.Literal("collection", "reversal", "reinstatement").annotations({
    description: "`reversal`: went back to its sender; `reinstatement`: such a return was canceled"
  }),
  movement_id: Schema.String.annotations({ description: "The provider's id of the transfer" }),
  account_reference: Schema.NullOr(Schema.String).annotations({
    description: "Provider's id of the virtual account, as in the transfer"
  }),
  amount: WireDecimal,
  currency: Schema.String,
  sender: Schema.NullOr(Schema.String),
  org_id: Schema.NullOr(idOf(OrgId)),
  account_id: Schema.NullOr(idOf(AccountId)),
  state: Schema.Literal("credited", "suspense", "receivable", "resolved"),
  reason: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  created_at: Timestamp
}).annotations({ identifier: "IncomingTransfer" })

export const ResolveTransfer = Schema.Struct({
  outcome: Schema.Literal("credited", "returned").annotations({
    description: "`credited`: it belongs to `account_id` or `org_id`; `returned`: the provider sent it back"
  }),
  account_id: optionalNullable(Schema.String).annotations({
    description: "Virtual account that gets it, in the currency of the transfer; of a `reversal`, that bears it"
  }),
  org_id: optionalNullable(Schema.String).annotations({
    description: "Instead of `account_id`: the organisation whose settlement balance gets or bears it"
  }),
  movement_id: optionalNullable(text(255, "With `returned`: the provider's id of the return, if it is known")),
  reason: text(500, "Saved with the transfer and in the audit log")
}).annotations({ identifier: "ResolveTransfer" })

export const FreezeAccount = Schema.Struct({
  reason: optionalNullable(text(500, "Sent to the organisation with the event"))
}).annotations({ identifier: "FreezeAccount" })

const refusal = Schema.Struct({ status: Schema.Literal("error"), message: Schema.String })

/** Payout errors outside of /payments-init, without a code. */
export const NoRoute = refusal.annotations(
  HttpApiSchema.annotations({ status: 422, description: "No routing configuration for the beneficiary's corridor" })
)
export const AllProvidersFailed = Schema.Struct({
  ...refusal.fields,
  payment_id: idOf(PaymentId).annotations({ description: "The failed payment; its timeline has the reasons" }),
  transaction_id: idOf(TransactionId)
}).annotations(HttpApiSchema.annotations({ status: 502, description: "Every candidate declined; no money was moved" }))

const owner = {
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c"
}

const account = {
  account_id: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  ...owner,
  customer_id: "customer-817",
  virtual_account_name: "Acme Trading KES",
  currency: "KES",
  balance: 2500,
  status: "active",
  frozen_reason: null,
  account_type: "currency",
  provider: "fiat",
  payment_rail: null,
  details_status: "none",
  details: null,
  details_message: null,
  ...exampleTimes
}

const withDetails = {
  ...account,
  currency: "NGN",
  virtual_account_name: "Acme Trading NGN",
  provider: "paystack",
  payment_rail: "bank_transfer",
  details_status: "issued",
  details: {
    account_name: "ACME TRADING NGN",
    account_number: "9807062474",
    bank_name: "Wema Bank",
    bank_code: "wema-bank"
  }
}

const resolvedTransfer = {
  transfer_id: "0199c2a8-1a22-7c31-9b02-7a8b9c0d1e2f",
  provider: "paystack",
  kind: "collection",
  movement_id: "4099260516",
  account_reference: "CUS_h00a7ngn0xbzf2g",
  amount: 1500,
  currency: "NGN",
  sender: "Ada Obi",
  org_id: account.org_id,
  account_id: account.account_id,
  state: "resolved",
  reason: "The sender confirmed it",
  decided_by: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  created_at: "2026-03-02T09:20:00.000Z"
}

const frozen = { status: "frozen", frozen_reason: "Suspicious activity" }

const debit = {
  transaction_id: "0199c2a7-33d1-7b20-9e10-6f1a2b3c4d5e",
  account_id: account.account_id,
  ...owner,
  type: "debit",
  status: "pending",
  amount: 1500,
  fee: 0,
  currency: "KES",
  description: "Rent for March",
  payment_rail: "mobile_money",
  reference: "0199c2a7-33d1-7b1f-8a02-1b2c3d4e5f60",
  created_at: "2026-03-02T09:20:00.000Z",
  updated_at: "2026-03-02T09:20:00.000Z"
}

const entry = "0199c2a7-4410-7c31-9b02-7a8b9c0d1e2f"

const transferred = {
  ...debit,
  status: "completed",
  description: "Transfer to 0199c2a6-2a10-7b12-9d01-0a1b2c3d4e5f",
  payment_rail: "internal",
  reference: entry
}

const deposited = {
  ...transferred,
  type: "credit",
  description: "Simulated deposit",
  payment_rail: "bank_transfer"
}

const UserParam = Schema.optional(
  idParam(UserId).annotations({ description: "Only what belongs to an account of this user" })
)

export const VirtualAccountsApi = apiGroup(
  "virtualAccounts",
  "Virtual accounts",
  "Balances of an organisation on the platform, in any number of accounts and currencies. They are part of one double-entry ledger, and never overdrawn.",
  [
    operation({
      endpoint: post("create", "/virtual-accounts/internal/bank")
        .setPayload(CreateVirtualAccount)
        .addSuccess(envelope(VirtualAccount), { status: 201 }),
      access: "accounts",
      summary: "Open a virtual account",
      description:
        "A user may have several accounts, also in one currency; `customer_id` tells them apart. With `payment_rail` (extension) a configured provider is asked for bank details; `details` has them once they are issued, and transfers to them credit the account. If no provider issues them in this currency, the account is opened without, and `message` says how to fund it.",
      request: examples({
        "For a customer of yours": { ...owner, currency: "KES", customer_id: account.customer_id },
        "Under another name": { ...owner, currency: "USD", org_name: "Acme Reserve" },
        "With bank details": {
          ...owner,
          currency: "NGN",
          payment_rail: "bank_transfer",
          holder: { name: "Ada Obi", email: "ada@example.com", phone: "+2348012345678" }
        },
        "With an address for USDC": { ...owner, currency: "USDC", payment_rail: "wallet" }
      }),
      response: success("Virtual account created", { ...account, balance: 0 })
    }),
    operation({
      endpoint: get("list", "/virtual-accounts", {
        user_id: UserParam,
        currency: Schema.optional(AnyCurrencyCode),
        ...OrgParam,
        ...PageParams
      }).addSuccess(pageOf(VirtualAccount)),
      access: "any",
      lists: true,
      summary: "List virtual accounts",
      description: "Extension. Newest first, each with its balance.",
      response: pageExample("Virtual accounts", [account])
    }),
    operation({
      endpoint: get("get", "/virtual-accounts/:account_id").addSuccess(envelope(VirtualAccount)),
      access: "any",
      summary: "Get a virtual account",
      description: "Extension. One account of the organisation with its balance.",
      response: examples({
        Active: success("Virtual account", account),
        Frozen: success("Virtual account", { ...account, ...frozen }),
        "With bank details": success("Virtual account", withDetails)
      })
    }),
    operation({
      endpoint: get("transactions", "/virtual-accounts/:account_id/transactions", PageParams).addSuccess(
        pageOf(VirtualTransaction)
      ),
      access: "any",
      lists: true,
      summary: "List the transactions of an account",
      description: "Extension. Newest first.",
      response: pageExample("Virtual transactions", [debit])
    }),
    operation({
      endpoint: get("transaction", "/virtual-accounts/transactions/:transaction_id", { user_id: UserParam }).addSuccess(
        envelope(VirtualTransaction)
      ),
      access: "any",
      summary: "Get a virtual transaction",
      description: "One transaction of any account of the organisation.",
      response: examples({
        "Withdrawal in progress": success("Virtual transaction", debit),
        "A deposit": success("Virtual transaction", deposited),
        "A transfer": success("Virtual transaction", transferred)
      })
    }),
    operation({
      endpoint: post("withdraw", "/virtual-accounts/:account_id/withdraw")
        .setPayload(Withdraw)
        .addSuccess(envelope(VirtualTransaction))
        .addError(Conflict)
        .addError(NoRoute)
        .addError(AllProvidersFailed),
      access: "accounts",
      movesMoney: true,
      summary: "Pay a beneficiary from an account",
      description:
        "Extension. Holds the amount and its fees before a provider is called; insufficient funds: 409. Its payment has the same `transaction_id` and sends payment events too. After a definite decline (at once: 502) the money returns to the account; while the outcome is unknown it stays held. `virtual_account.withdrawal` is sent when it is paid. A frozen account: 409.",
      request: examples({
        "With words for the beneficiary": {
          amount: 1500,
          beneficiary_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77",
          description: "Rent for March"
        },
        "Without words": { amount: 250.75, beneficiary_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77" }
      }),
      response: success("Withdrawal initiated", debit)
    }),
    operation({
      endpoint: post("transfer", "/virtual-accounts/transfer")
        .setPayload(Transfer)
        .addSuccess(envelope(VirtualTransaction))
        .addError(Conflict),
      access: "accounts",
      movesMoney: true,
      summary: "Transfer between two accounts",
      description:
        "Extension. Both accounts belong to the organisation. Between two currencies it needs `org_rate_id`, a locked rate, which the transfer uses up. It credits the amount at the worse of the locked and the live rate, rounded down, so converting back and forth never gains money; an amount that rounds to zero is rejected (400). Returns the debit; the credit has the same `reference`. A frozen account can receive, but not send (409).",
      request: examples({
        "In one currency": {
          from_account_id: account.account_id,
          to_account_id: "0199c2a6-2a10-7b12-9d01-0a1b2c3d4e5f",
          amount: 1500
        },
        "Into another currency, at a locked rate": {
          from_account_id: account.account_id,
          to_account_id: "0199c2a6-2a10-7b12-9d01-0a1b2c3d4e5f",
          amount: 1500,
          org_rate_id: "0199c2a4-9e05-7d11-a2b3-c4d5e6f70819"
        },
        "Back to the settlement balance": {
          from_account_id: account.account_id,
          to_account_id: "settlement",
          amount: 1500
        }
      }),
      response: success("Transfer completed", transferred)
    }),
    operation({
      endpoint: post("fund", "/virtual-accounts/:account_id/fund")
        .setPayload(FundAccount)
        .addSuccess(envelope(VirtualTransaction))
        .addError(Conflict),
      access: "accounts",
      movesMoney: true,
      summary: "Fund an account from the settlement balance",
      description:
        'Extension. Moves money that the organisation\'s payins have brought to one of its accounts; `transfer` with `to_account_id: "settlement"` moves it back. From another currency it needs `org_rate_id`: it credits the amount times the worse of the locked and the live rate, rounded down. Without enough balance: 409. Sends `virtual_account.deposit`.',
      request: examples({
        "In the account's currency": { amount: 1500 },
        "From another currency, at a locked rate": {
          amount: 12.5,
          org_rate_id: "0199c2a4-9e05-7d11-a2b3-c4d5e6f70819"
        }
      }),
      response: success("Deposit completed", {
        ...deposited,
        description: "Transfer from settlement",
        payment_rail: "internal"
      })
    }),
    operation({
      endpoint: post("simulateDeposit", "/virtual-accounts/:account_id/simulate-deposit")
        .setPayload(SimulateDeposit)
        .addSuccess(envelope(VirtualTransaction))
        .addError(Conflict),
      access: "accounts",
      movesMoney: true,
      summary: "Simulate a deposit",
      description:
        "Extension. Credits the account at once, as if a customer had paid into it. Sandbox only: 404 in live mode.",
      request: examples({ "A whole amount": { amount: 1500 }, "With cents": { amount: 250.75 } }),
      response: success("Deposit completed", deposited)
    }),
    operation({
      endpoint: post("resolveTransfer", "/operations/incoming-transfers/:transfer_id/resolve")
        .setPayload(ResolveTransfer)
        .addSuccess(envelope(IncomingTransfer))
        .addError(Conflict),
      access: "platform",
      summary: "Resolve an incoming transfer",
      description:
        "Extension. For a transfer in suspense: it names no known account, an account in another currency, or a closed one. The operations queue has these (`incoming_transfer`; `item_id` is the `transfer_id`). Check with the provider first. Audited in the caller's name. A `reversal` that neither the account nor the organisation can bear is owed by the organisation (`receivable`). Not in suspense: 409.",
      request: examples({
        "Credit an account": {
          outcome: "credited",
          account_id: account.account_id,
          reason: "The sender confirmed it"
        },
        "State that it went back": { outcome: "returned", reason: "Returned in the provider's dashboard" }
      }),
      response: success("Incoming transfer resolved", resolvedTransfer)
    }),
    operation({
      endpoint: post("freeze", "/virtual-accounts/:account_id/freeze")
        .setPayload(FreezeAccount)
        .addSuccess(envelope(VirtualAccount))
        .addError(Conflict),
      access: "platform",
      summary: "Freeze an account",
      description:
        "Extension. Blocks debits from now on; debits in progress are completed or rejected before the answer. Credits still arrive. Freezing twice changes nothing.",
      request: examples({ "With a reason": { reason: "Suspicious activity" }, "Without one": {} }),
      response: success("Virtual account frozen", { ...account, ...frozen })
    }),
    operation({
      endpoint: post("unfreeze", "/virtual-accounts/:account_id/unfreeze")
        .addSuccess(envelope(VirtualAccount))
        .addError(Conflict),
      access: "platform",
      summary: "Unfreeze an account",
      description: "Extension. Unfreezing an active account changes nothing.",
      response: success("Virtual account unfrozen", account)
    })
  ]
)
