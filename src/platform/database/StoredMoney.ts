/** Money as rows hold it: exact decimal text beside its currency. */
import { Either } from "effect"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { Money } from "../../domain/Money.ts"

/** What the database holds was money when it was written: anything else is a defect. */
export const moneyOf = (text: string, currency: AnyCurrencyCode): Money =>
  Either.getOrThrowWith(Money.fromNumericText(text, currency), (reason) => new Error(`${text} ${currency} ${reason}`))
