/** Holds values against the schemas of the OpenAPI document, as strictly as ajv can. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Document } from "./DocumentedOperations.ts"

/** Ajv knows the whole document by this name. */
const pointed = (schema: unknown): string => JSON.stringify(schema).replaceAll("#/components/", "document#/components/")

const parsed = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>

export const validatorOf = (document: Document) => {
  /** Complaints of ajv about the schemas themselves. */
  const complaints: Array<string> = []
  const complain = (...words: ReadonlyArray<unknown>) => void complaints.push(words.join(" "))
  const ajv = new Ajv2020({
    strict: "log",
    allErrors: true,
    logger: { log: complain, warn: complain, error: complain }
  })
  addFormats.default(ajv)
  ajv.addVocabulary(["components"])
  ajv.addSchema({ $id: "document", components: parsed(pointed(document.components)) })
  const compiled = new Map<string, ValidateFunction>()
  const compile = (schema: unknown): ValidateFunction => {
    const text = pointed(schema)
    const made = compiled.get(text) ?? ajv.compile(parsed(text))
    compiled.set(text, made)
    return made
  }
  return {
    complaints,
    /** Problems of the values; empty where all of them are valid. */
    flaws: (schema: unknown, values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
      const fits = compile(schema)
      return values.flatMap((value) => (fits(value) ? [] : [ajv.errorsText(fits.errors)]))
    }
  }
}
