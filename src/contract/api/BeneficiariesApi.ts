/** Beneficiaries: the people and businesses that payouts go to. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { BeneficiaryId, UserId } from "../../domain/Ids.ts"
import { CountryCode } from "../../domain/Country.ts"
import { AnyCurrencyCode, CryptoNetwork, CurrencyCode } from "../../domain/Currency.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { del, get, patch, post, examples, Named, operation, apiGroup, pageExample, exampleTimes } from "./Operation.ts"
import {
  envelope,
  idOf,
  idParam,
  OrgParam,
  PageParams,
  pageOf,
  success,
  optionalExact,
  timestamps
} from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { accountNumber, optionalNullable, text } from "./RequestFields.ts"

const accountTypes = ["bank", "mobile_money", "wallet"] as const
const beneficiaryTypes = ["individual", "business", "loan_client"] as const

const AccountType = Schema.Literal(...accountTypes).annotations({
  description: "Determines the details object. Immutable"
})
const BeneficiaryType = Schema.Literal(...beneficiaryTypes)

/** Every details object is empty when the beneficiary has none of that kind, and whole otherwise. */
export const Beneficiary = Schema.Struct({
  beneficiary_id: idOf(BeneficiaryId),
  account_type: AccountType,
  beneficiary_of: idOf(UserId).annotations({ description: "The user that made it" }),
  beneficiary_type: BeneficiaryType,
  country: CountryCode,
  currency: AnyCurrencyCode,
  fname: Schema.String,
  lname: Schema.String,
  email: Schema.NullOr(Schema.String),
  phone_number: Schema.NullOr(Schema.String).annotations({ description: "E.164" }),
  momo_details: Schema.Struct({
    provider: optionalExact(Schema.String),
    phone_number: optionalExact(Schema.String)
  }).annotations({ description: "`{}` unless `account_type` is `mobile_money`" }),
  bank_details: Schema.Struct({
    account_name: optionalExact(Schema.String),
    account_number: optionalExact(Schema.String),
    bank_name: optionalExact(Schema.String),
    bank_code: optionalExact(Schema.NullOr(Schema.String)),
    country: optionalExact(CountryCode)
  }).annotations({ description: "`{}` unless `account_type` is `bank`" }),
  loan_client_details: Schema.Struct({
    loan_id: optionalExact(Schema.NullOr(Schema.String)),
    loan_reference: optionalExact(Schema.NullOr(Schema.String))
  }),
  wallet_details: Schema.Struct({
    address: optionalExact(Schema.NullOr(Schema.String)),
    network: optionalExact(Schema.NullOr(CryptoNetwork)),
    email: optionalExact(Schema.NullOr(Schema.String))
  }).annotations({ description: "Extension. `{}` unless `account_type` is `wallet`" }),
  external_account_id: Schema.NullOr(Schema.String).annotations({
    description: "The organisation's own note of a provider's id. Payouts never use it: they go to the account above"
  }),
  ...timestamps
}).annotations({ identifier: "Beneficiary" })

const Phone = text(40, "International form, or the national form of `country`; kept as E.164")

const fields = {
  account_type: AccountType,
  beneficiary_type: BeneficiaryType,
  country: CountryCode,
  currency: AnyCurrencyCode,
  fname: text(100),
  lname: text(100),
  email: optionalNullable(EmailAddress),
  phone_number: optionalNullable(Phone),
  momo_details: optionalNullable(
    Schema.Struct({
      provider: optionalNullable(text(100, "A mobile money network of `country`, by name or code, in any case")),
      phone_number: optionalNullable(Phone)
    })
  ).annotations({ description: "Required, whole, when `account_type` is `mobile_money`" }),
  bank_details: optionalNullable(
    Schema.Struct({
      account_name: optionalNullable(text(200, "Default: `fname` and `lname`")),
      account_number: optionalNullable(
        accountNumber(
          64,
          "An IBAN when it starts with two letters; 10 digits with the check digit of the bank (NUBAN) in NG; 8 digits in GB"
        )
      ),
      bank_name: optionalNullable(text(200, "Required, except with an IBAN")),
      bank_code: optionalNullable(text(32, "Required, except with an IBAN. A sort code of 6 digits in GB")),
      country: optionalNullable(CountryCode).annotations({ description: "Default: `country` of the beneficiary" })
    })
  ).annotations({ description: "Required when `account_type` is `bank`" }),
  loan_client_details: optionalNullable(
    Schema.Struct({ loan_id: optionalNullable(text(100)), loan_reference: optionalNullable(text(100)) })
  ),
  wallet_details: optionalNullable(
    Schema.Struct({
      address: optionalNullable(text(128)),
      network: optionalNullable(CryptoNetwork),
      email: optionalNullable(EmailAddress)
    })
  ).annotations({
    description:
      "Extension. Required when `account_type` is `wallet`: `address` and `network` of a crypto wallet, or `email` of a PayPal account"
  }),
  external_account_id: optionalNullable(text(255))
}

export const CreateBeneficiary = Schema.Struct({ ...fields, org_id: OrgParam.org_id }).annotations({
  identifier: "CreateBeneficiary"
})

export const ChangeBeneficiary = Schema.partialWith(Schema.Struct(fields), { exact: true }).annotations({
  identifier: "ChangeBeneficiary"
})

const request = {
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Wanjiku",
  email: "ada@example.com",
  momo_details: { provider: "M-Pesa", phone_number: "0712345678" }
}

const requests = new Named({
  mobile_money: { summary: "By mobile money", value: request },
  bank: {
    summary: "By bank transfer",
    value: {
      account_type: "bank",
      beneficiary_type: "individual",
      country: "GB",
      currency: "GBP",
      fname: "Ada",
      lname: "Byron",
      bank_details: { account_number: "31926819", bank_code: "601613", bank_name: "NatWest" }
    }
  },
  iban: {
    summary: "By bank transfer, to an IBAN",
    value: {
      account_type: "bank",
      beneficiary_type: "business",
      country: "DE",
      currency: "EUR",
      fname: "Lena",
      lname: "Vogt",
      bank_details: { account_name: "Vogt GmbH", account_number: "DE89370400440532013000" }
    }
  },
  wallet: {
    summary: "To a crypto wallet",
    value: {
      account_type: "wallet",
      beneficiary_type: "individual",
      country: "KE",
      currency: "USDT",
      fname: "Ada",
      lname: "Wanjiku",
      wallet_details: { address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", network: "TRON" }
    }
  }
})

const example = {
  beneficiary_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77",
  beneficiary_of: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  ...request,
  phone_number: null,
  momo_details: { provider: "M-Pesa", phone_number: "+254712345678" },
  bank_details: {},
  loan_client_details: {},
  wallet_details: {},
  external_account_id: null,
  ...exampleTimes
}

const kinds = (message: string) =>
  examples({
    "By mobile money": success(message, example),
    "By bank transfer": success(message, {
      ...example,
      account_type: "bank",
      momo_details: {},
      bank_details: {
        account_name: "Ada Wanjiku",
        account_number: "1100223344",
        bank_name: "Equity Bank",
        bank_code: "68",
        country: "KE"
      }
    }),
    "To a crypto wallet": success(message, {
      ...example,
      account_type: "wallet",
      currency: "USDT",
      momo_details: {},
      wallet_details: { address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", network: "TRON", email: null }
    })
  })

export const BeneficiariesApi = apiGroup(
  "beneficiaries",
  "Beneficiaries",
  "The people and businesses that payouts go to.",
  [
    operation({
      endpoint: get("list", "/beneficiaries", {
        user_id: Schema.optional(idParam(UserId).annotations({ description: "Only those that this user made" })),
        ...OrgParam,
        ...PageParams
      }).addSuccess(pageOf(Beneficiary)),
      access: "any",
      lists: true,
      summary: "List beneficiaries",
      description: "Newest first.",
      response: pageExample("Beneficiaries", [example])
    }),
    operation({
      endpoint: post("create", "/beneficiaries")
        .setPayload(CreateBeneficiary)
        .addSuccess(envelope(Beneficiary), { status: 201 }),
      access: "any",
      summary: "Create a beneficiary",
      description:
        "Checks the format: IBAN, Nigerian check digit, UK sort code, phone numbers. Only the details of the account type are stored.",
      request: requests,
      response: kinds("Beneficiary created")
    }),
    operation({
      endpoint: get("get", "/beneficiaries/:beneficiary_id").addSuccess(envelope(Beneficiary)),
      access: "any",
      summary: "Get a beneficiary",
      description: "One beneficiary of the organisation.",
      response: kinds("Beneficiary")
    }),
    operation({
      endpoint: patch("change", "/beneficiaries/:beneficiary_id")
        .setPayload(ChangeBeneficiary)
        .addSuccess(envelope(Beneficiary)),
      access: "any",
      summary: "Change a beneficiary",
      description:
        "Changes only the fields that are sent, inside the details too; null clears an optional field. The result is validated like a new beneficiary. `account_type` is immutable.",
      request: examples({
        "Another number": { momo_details: { phone_number: "+254722000111" } },
        "Another name, and no e-mail address": { lname: "Wanjiku-Odhiambo", email: null }
      }),
      response: success("Beneficiary changed", {
        ...example,
        momo_details: { provider: "M-Pesa", phone_number: "+254722000111" }
      })
    }),
    operation({
      endpoint: del("remove", "/beneficiaries/:beneficiary_id").addSuccess(HttpApiSchema.NoContent).addError(Conflict),
      access: "any",
      summary: "Delete a beneficiary",
      description: "409 while a payment to it is in progress. Ended payments keep its id."
    })
  ]
)

/** Bank validation: whether the numbers of an account can be right, before anything is sent there. */
export const UkAccount = Schema.Struct({
  sortCode: Schema.String.annotations({ description: "`NN-NN-NN`" }),
  accountNumber: Schema.String.annotations({ description: "8 digits" })
}).annotations({ identifier: "UkAccount" })

export const UkAccountValidation = Schema.Struct({
  success: Schema.Boolean.annotations({ description: "The same as `accountDetails.validated`" }),
  accountDetails: Schema.Struct({
    sortCode: Schema.String,
    accountNumber: Schema.String,
    validated: Schema.Boolean.annotations({ description: "Whether both have the format of a UK account" }),
    message: Schema.String.annotations({ description: "Errors by position, if any" })
  })
}).annotations({ identifier: "UkAccountValidation" })

const bankRequest = { sortCode: "20-00-00", accountNumber: "55779911" }

export const BankValidationApi = apiGroup(
  "bankValidation",
  "Bank validation",
  "Whether an account number can be one.",
  [
    operation({
      endpoint: post("validateUkAccount", "/payments/bank-validation/validate-uk-account")
        .setPayload(UkAccount)
        .addSuccess(UkAccountValidation),
      access: "any",
      summary: "Validate a UK account",
      description:
        "Checks the format only, not whether the account exists or whose it is. A wrong format is 200 with `success: false`, not an error.",
      request: examples({ "Well formed": bankRequest, "Too short": { ...bankRequest, accountNumber: "5577" } }),
      response: examples({
        "Well formed": {
          success: true,
          accountDetails: {
            ...bankRequest,
            validated: true,
            message: "The sort code and the account number are well formed."
          }
        },
        "Too short": {
          success: false,
          accountDetails: {
            ...bankRequest,
            accountNumber: "5577",
            validated: false,
            message: "accountNumber: is not eight digits."
          }
        }
      })
    })
  ]
)

export const Network = Schema.Struct({
  name: Schema.String,
  code: Schema.String,
  country: CountryCode,
  currency: CurrencyCode
}).annotations({ identifier: "Network" })

const NetworksRequest = Schema.Struct({ country: CountryCode }).annotations({ identifier: "NetworksRequest" })

export const NetworksApi = apiGroup("networks", "Mobile money networks", "Where mobile money is paid, by country.", [
  operation({
    endpoint: post("list", "/externals/networks")
      .setPayload(NetworksRequest)
      .addSuccess(envelope(Schema.Array(Network))),
    access: "any",
    summary: "List mobile money networks",
    description:
      "`mobile_money_details.provider` takes the `name` or the `code` of one of them, in any case. A country without any has an empty list.",
    request: examples({ Kenya: { country: "KE" }, "A country without networks": { country: "FR" } }),
    response: examples({
      Kenya: success("Mobile money networks", [
        { name: "M-Pesa", code: "mpesa", country: "KE", currency: "KES" },
        { name: "Airtel Money", code: "airtel", country: "KE", currency: "KES" }
      ]),
      "A country without networks": success("Mobile money networks", [])
    })
  })
])
