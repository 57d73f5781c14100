/** What callers attach to a payment and read back as they sent it. */
import { Schema } from "effect"
import { stringifyWire } from "../../domain/Decimal.ts"

const MOST_KEYS = 50
const MOST_BYTES = 16 * 1024

const flawOf = (metadata: Readonly<Record<string, unknown>>): string | undefined => {
  if (Object.keys(metadata).length > MOST_KEYS) return `has more than ${MOST_KEYS} keys`
  return Buffer.byteLength(stringifyWire(metadata)) > MOST_BYTES
    ? `is larger than ${MOST_BYTES / 1024} KiB as JSON`
    : undefined
}

export const Metadata = Schema.Record({ key: Schema.String, value: Schema.Unknown })
  .pipe(Schema.filter(flawOf))
  .annotations({
    jsonSchema: {
      type: "object",
      maxProperties: MOST_KEYS,
      additionalProperties: {},
      description:
        "Yours: comes back as it was sent, numbers digit for digit (a number with an exponent, and -0, are 400). At most 50 keys and 16 KiB as JSON."
    }
  })
