import { Schema } from "effect"
import { holdsCardNumber } from "../../domain/Card.ts"
import { stringifyWire, WireNumber } from "../../domain/Decimal.ts"
import { CARD_REFUSED } from "./Text.ts"

const MOST_KEYS = 50
const MOST_BYTES = 16 * 1024

const holdsCard = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return holdsCardNumber(String(value))
  if (value instanceof WireNumber) return holdsCardNumber(value.text)
  return Object.entries(value).some(([key, one]) => holdsCardNumber(key) || holdsCard(one))
}

const flawOf = (metadata: Readonly<Record<string, unknown>>): string | undefined => {
  if (Object.keys(metadata).length > MOST_KEYS) return `has more than ${MOST_KEYS} keys`
  if (Buffer.byteLength(stringifyWire(metadata)) > MOST_BYTES) return `is larger than ${MOST_BYTES / 1024} KiB as JSON`
  // Last, because it takes longest.
  return holdsCard(metadata) ? CARD_REFUSED : undefined
}

export const Metadata = Schema.Record({ key: Schema.String, value: Schema.Unknown })
  .pipe(Schema.filter(flawOf))
  .annotations({
    jsonSchema: {
      type: "object",
      maxProperties: MOST_KEYS,
      additionalProperties: {},
      description:
        "Your own data, returned as sent, numbers digit for digit (numbers with an exponent, and -0, are 400). At most 50 keys and 16 KiB as JSON. Text that looks like a card number is 400."
    }
  })
