import { describe, expect, it } from "vitest"
import { bankAccountProblems } from "../../src/domain/AccountFormat.ts"
import { CountryCode } from "../../src/domain/Country.ts"

const fieldsWrong = (country: string, account_number: string, bank_code: string | null) =>
  bankAccountProblems({ account_number, bank_code, country: CountryCode.make(country) }).map(({ field }) => field)

describe("bankAccountProblems", () => {
  it.each([
    ["NG", "0000014579", "011"],
    ["NG", "8012345678", "999992"],
    ["GB", "12345678", "12-34-56"],
    ["GB", "12345678", "123456"],
    ["GB", "GB82WEST12345698765432", null],
    ["GB", "GB82WEST12345698765432", "123456"],
    ["DE", "DE89370400440532013000", null],
    ["KE", "01109-12345/600", "01"],
    ["KE", "123456", null],
    ["US", "000123456789", "021000021"]
  ])("finds nothing wrong in %s with %s at bank %s", (country, account, bank) => {
    expect(fieldsWrong(country, account, bank)).toEqual([])
  })

  it.each([
    ["NG", "0000014570", "011", ["account_number"]],
    ["NG", "000001457", "011", ["account_number"]],
    ["NG", "0000014579", null, ["bank_code"]],
    ["NG", "801234567", "999992", ["account_number"]],
    ["GB", "1234567", "12-34-56", ["account_number"]],
    ["GB", "123456789", "123456", ["account_number"]],
    ["GB", "12345678", "12-3456", ["bank_code"]],
    ["GB", "12345678", "1234567", ["bank_code"]],
    ["GB", "1234567X", "12", ["account_number", "bank_code"]],
    ["GB", "GB82WEST12345698765433", "12", ["account_number", "bank_code"]],
    ["KE", "GB82WEST12345698765432", "01", ["account_number"]],
    ["US", "AB123", "021000021", ["account_number"]]
  ])("refuses in %s %s at bank %s for %j", (country, account, bank, fields) => {
    expect(fieldsWrong(country, account, bank)).toEqual(fields)
  })
})
