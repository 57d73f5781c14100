import { type Amount, amountText, typedAmount } from "../../api/Amount.ts"

const grouped = (digits: string): string => {
  const amount: Amount | undefined = typedAmount(digits)
  return amount === undefined ? digits : amountText(amount)
}

/** What the service noted down, with amounts and the provider that it begins with as every other page writes them. */
export const detailText = (detail: string, names: ReadonlyMap<string, string>): string =>
  detail
    .replace(/^[a-z_]+(?= )/, (code) => names.get(code) ?? code)
    .replace(/(?<![\w.])\d{4,15}(\.\d+)?(?= [A-Z]{3,5}\b)/g, grouped)
