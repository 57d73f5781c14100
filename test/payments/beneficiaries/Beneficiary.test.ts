import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ChangeBeneficiary, CreateBeneficiary } from "../../../src/contract/api/BeneficiariesApi.ts"
import { applyPatch, checkBeneficiary } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { britishBank, cryptoWallet, mpesa, nigerianBank, payPal } from "./Examples.ts"
import { fieldsIn } from "../../support/RefusedFields.ts"

const decode = Schema.decodeUnknownSync(CreateBeneficiary)
const check = (input: unknown) => checkBeneficiary(decode(input))
const made = (input: unknown) => Either.getOrThrow(check(input))
const patched = (input: unknown, patch: unknown) =>
  applyPatch(made(input), Schema.decodeUnknownSync(ChangeBeneficiary)(patch))
const refusal = (result: ReturnType<typeof check>) => Either.getOrNull(Either.flip(result))?.message

describe("checkBeneficiary", () => {
  it("fills in the holder's name and the bank's country, and what is absent", () => {
    expect(made(nigerianBank)).toEqual({
      account_type: "bank",
      beneficiary_type: "individual",
      country: "NG",
      currency: "NGN",
      fname: "Ada",
      lname: "Okafor",
      email: null,
      phone_number: null,
      bank_details: {
        account_name: "Ada Okafor",
        account_number: "0000014579",
        bank_code: "011",
        bank_name: "First Bank",
        country: "NG"
      },
      momo_details: {},
      wallet_details: {},
      loan_client_details: {},
      external_account_id: null
    })
  })

  it("keeps phone numbers as E.164 and the network as it was named", () => {
    const sent = { ...mpesa, phone_number: "+44 20 7946 0018" }
    expect(made(sent)).toMatchObject({
      momo_details: { provider: "mpesa", phone_number: "+254712345678" },
      phone_number: "+442079460018"
    })
  })

  it("keeps bank codes and account numbers as they were written", () => {
    const iban = { ...britishBank.bank_details, account_number: "gb82 west 1234 5698 7654 32" }
    expect(made({ ...britishBank, bank_details: iban }).bank_details).toMatchObject({
      account_number: "gb82 west 1234 5698 7654 32",
      bank_code: "12-34-56"
    })
  })

  it("needs no name of the bank beside an IBAN", () => {
    const iban = { account_number: "GB82WEST12345698765432" }
    expect(made({ ...britishBank, bank_details: iban }).bank_details).toEqual({
      ...iban,
      account_name: "Ada Okafor",
      bank_code: null,
      country: "GB"
    })
  })

  it("keeps only the details of its own account type", () => {
    const both = { ...mpesa, bank_details: nigerianBank.bank_details, wallet_details: { email: "a@b.example" } }
    expect(made(both)).toMatchObject({ bank_details: {}, wallet_details: {} })
  })

  it("says what an absent part of given details is", () => {
    expect(made(cryptoWallet).wallet_details).toEqual({ ...cryptoWallet.wallet_details, email: null })
    expect(made(payPal).wallet_details).toEqual({ email: "ada@example.com", address: null, network: null })
    expect(made({ ...mpesa, loan_client_details: { loan_id: "L-7" } }).loan_client_details).toEqual({
      loan_id: "L-7",
      loan_reference: null
    })
  })

  it.each([
    [{ ...mpesa, wallet_details: {}, bank_details: null }, undefined],
    [{ ...mpesa, currency: "USD" }, /^currency: M-Pesa of KE moves KES only\.$/],
    [{ ...cryptoWallet, wallet_details: { email: "a@b.example" } }, /^wallet_details\.address: is missing/],
    [
      { ...cryptoWallet, wallet_details: { address: "0x1", network: "BITCOIN" } },
      /^wallet_details\.network: does not carry USDT/
    ],
    [{ ...cryptoWallet, wallet_details: { address: "0x1" } }, /^wallet_details\.network: is missing/],
    [{ ...nigerianBank, bank_details: { account_number: "0000014579" } }, /^bank_details\.bank_name: is missing\.$/],
    [{ ...payPal, wallet_details: {} }, /^wallet_details: give address/],
    [{ ...payPal, wallet_details: null }, /^wallet_details: give address/]
  ])("judges %j", (input, expected) => {
    if (expected === undefined) expect(refusal(check(input))).toBeUndefined()
    else expect(refusal(check(input))).toMatch(expected)
  })

  it("names everything that is wrong at once", () => {
    const wrong = { ...mpesa, phone_number: "1", momo_details: { provider: "wave", phone_number: "+256700000001" } }
    expect(fieldsIn(refusal(check(wrong)) ?? "")).toEqual([
      "momo_details.provider",
      "momo_details.phone_number",
      "phone_number"
    ])
  })
})

describe("applyPatch", () => {
  it("leaves alone what it does not name, inside the details too", () => {
    const input = { ...nigerianBank, email: "ada@example.com", loan_client_details: { loan_id: "L-7" } }
    const changed = Either.getOrThrow(patched(input, { fname: "Ade", bank_details: { bank_name: "FBN" } }))
    const old = made(input)
    expect(changed).toEqual({ ...old, fname: "Ade", bank_details: { ...old.bank_details, bank_name: "FBN" } })
  })

  it("changes nothing when it is empty", () => {
    for (const input of [nigerianBank, britishBank, mpesa, cryptoWallet, payPal]) {
      expect(patched(input, {})).toEqual(Either.right(made(input)))
    }
  })

  it("clears with null what may be absent", () => {
    const input = {
      ...mpesa,
      email: "ada@example.com",
      phone_number: "0712345678",
      loan_client_details: { loan_id: "L" }
    }
    const cleared = Either.getOrThrow(patched(input, { email: null, phone_number: null, loan_client_details: null }))
    expect(cleared).toMatchObject({ email: null, phone_number: null, loan_client_details: {} })
  })

  it.each([
    [mpesa, { momo_details: null }, /^momo_details\.provider: is missing; momo_details\.phone_number: is missing\.$/],
    [mpesa, { country: "UG" }, /^momo_details\.provider: is not a network of UG/],
    [nigerianBank, { bank_details: { account_number: "0000014578" } }, /^bank_details\.account_number: is not a NUBAN/],
    [nigerianBank, { bank_details: { bank_code: "058" } }, /^bank_details\.account_number: is not a NUBAN/],
    [britishBank, { bank_details: { bank_code: null } }, /^bank_details\.bank_code: is missing/],
    [mpesa, { account_type: "bank" }, /^account_type: cannot change from mobile_money/]
  ])("checks the result like a new one: %j with %j", (input, patch, expected) => {
    expect(refusal(patched(input, patch))).toMatch(expected)
  })

  it("may name the account type that it has", () => {
    expect(patched(mpesa, { account_type: "mobile_money", lname: "W" })).toMatchObject({ _tag: "Right" })
  })
})
