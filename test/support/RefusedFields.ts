/** Refusals by their codes and the fields that they name, for tests of which the words are no part. */
import type { Answer } from "./Send.ts"

/** `["amount", "payer.name"]` of `amount: is missing; payer.name: is blank.`. */
export const fieldsIn = (message: string): ReadonlyArray<string> =>
  Array.from(message.matchAll(/(?:^|; )([\w.[\]]+): /g), ([, field]) => field!)

/** `VALIDATION_ERROR amount payer.name` of `VALIDATION_ERROR amount: is missing; payer.name: is blank.`. */
export const codeAndFields = (refusal: string): string => {
  const [code = "", ...words] = refusal.split(" ")
  return [code, ...fieldsIn(words.join(" "))].join(" ")
}

/** `[400, "amount", "payer.name"]`. */
export const refusedFields = ({ status, text }: Pick<Answer, "status" | "text">): ReadonlyArray<number | string> => [
  status,
  ...fieldsIn((JSON.parse(text) as { readonly message: string }).message)
]
