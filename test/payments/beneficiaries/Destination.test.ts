import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { BeneficiaryId } from "../../../src/domain/Ids.ts"
import { CreateBeneficiary } from "../../../src/contract/api/BeneficiariesApi.ts"
import { checkBeneficiary } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { destinationOf, sameAccount, type SentDetails } from "../../../src/payments/beneficiaries/Destination.ts"
import { britishBank, cryptoWallet, mpesa, nigerianBank, payPal } from "./Examples.ts"

const stored = (input: unknown) => ({
  beneficiary_id: BeneficiaryId.make("b"),
  ...Either.getOrThrow(checkBeneficiary(Schema.decodeUnknownSync(CreateBeneficiary)(input)))
})

const iban = stored({
  ...britishBank,
  bank_details: { account_number: "gb82 west 1234-5698 7654 32", bank_name: "NatWest", account_name: "A Okafor" }
})

describe("destinationOf", () => {
  it("is the account in the words of a provider", () => {
    expect(destinationOf(stored(nigerianBank))).toEqual({
      _tag: "Bank",
      account: {
        accountName: "Ada Okafor",
        accountNumber: "0000014579",
        bankCode: "011",
        bankName: "First Bank",
        country: "NG"
      }
    })
    expect(
      destinationOf(stored({ ...mpesa, momo_details: { provider: "M-PESA", phone_number: "0712345678" } }))
    ).toEqual({
      _tag: "MobileMoney",
      account: { network: "mpesa", phoneNumber: "+254712345678" }
    })
    expect(destinationOf(stored(cryptoWallet))).toEqual({ _tag: "CryptoWallet", account: cryptoWallet.wallet_details })
    expect(destinationOf(stored(payPal))).toEqual({ _tag: "PayPal", account: { email: "ada@example.com" } })
  })

  it("has an IBAN without spaces, dashes and small letters", () => {
    expect(destinationOf(iban)).toMatchObject({
      account: { accountNumber: "GB82WEST12345698765432", accountName: "A Okafor", bankCode: null }
    })
  })
})

const bank = (account_number: string, bank_code: string | null, bank_name = "Another name"): SentDetails => ({
  bank_account: { account_number, bank_code, bank_name }
})
const momo = (provider: string, phone_number: string): SentDetails => ({
  mobile_money_details: { provider, phone_number }
})

describe("sameAccount", () => {
  it.each([
    [britishBank, bank("12345678", "123456")],
    [britishBank, bank("1234 5678", "12-34-56")],
    [britishBank, bank("12345678", null, "LLOYDS")],
    [mpesa, momo("M-Pesa", "+254712345678")],
    [mpesa, momo("MPESA", "0712-345-678")],
    [mpesa, {}],
    [mpesa, { bank_account: null, mobile_money_details: null }],
    [payPal, {}]
  ])("is so for %j and %j", (input, sent) => {
    expect(sameAccount(stored(input), sent)).toBe(true)
  })

  it.each([
    [britishBank, bank("12345679", "123456")],
    [britishBank, bank("12345678", "123457", "Lloyds")],
    [britishBank, bank("12345678", null, "Barclays")],
    [britishBank, momo("M-Pesa", "+254712345678")],
    [britishBank, { ...bank("12345678", "123456"), ...momo("M-Pesa", "+254712345678") }],
    [mpesa, momo("Airtel Money", "+254712345678")],
    [mpesa, momo("M-Pesa", "+254712345679")],
    [mpesa, momo("M-Pesa", "+256712345678")],
    [mpesa, momo("M-Pesa", "nobody")],
    [mpesa, bank("0712345678", null)],
    [cryptoWallet, bank("12345678", null)]
  ])("is not so for %j and %j", (input, sent) => {
    expect(sameAccount(stored(input), sent)).toBe(false)
  })

  it("needs of an IBAN no more than the number", () => {
    expect(sameAccount(iban, bank("GB82 WEST 1234 5698 7654 32", null))).toBe(true)
    expect(sameAccount(iban, bank("GB82WEST12345698765433", null))).toBe(false)
  })
})
