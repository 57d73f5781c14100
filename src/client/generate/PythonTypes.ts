/** Writes the types of the Python client: a TypedDict for each object of the contract. Decimals are `Decimal`. */
import { isPythonKeyword } from "../../contract/openapi/CodeSamples.ts"
import {
  choicesIn,
  type ContractOperation,
  contractOperations,
  contractSchemas,
  referredTo,
  sentComponents
} from "./ContractOperations.ts"
import type { Schema } from "./OpenApiTypes.ts"

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

interface Writer {
  readonly isSent: boolean
  /** Prefix of the names of nested objects; of `types.` where another module refers to them. */
  readonly name: string
  readonly classes: Array<string>
  readonly module: string
}

const unionOf = (all: ReadonlyArray<string>): string => {
  const types = Array.from(new Set(all))
  const others = types.filter((one) => one !== "None")
  const union = others.length > 1 ? `Union[${others.join(", ")}]` : (others[0] ?? "None")
  return others.length === types.length || union === "None" ? union : `Optional[${union}]`
}

const comment = (text: string | undefined): string =>
  text === undefined
    ? ""
    : text
        .split("\n")
        .map((line) => `    # ${line}`.trimEnd() + "\n")
        .join("")

/** Python 3.9 has no NotRequired: optional keys are in a class of their own. */
const classOf = (name: string, schema: Schema, writer: Writer): void => {
  const fields = Object.entries(schema.properties ?? {}).map(([key, one]) => ({
    key,
    type: pythonType(one, { ...writer, name: `${name}${pascalCase(key)}` }),
    about: one.description,
    isRequired: schema.required?.includes(key) === true
  }))
  const withNames = (some: typeof fields, before: string): string =>
    `class ${before}:\n` +
    (some.length === 0
      ? "    pass\n"
      : some.map(({ about, key, type }) => `${comment(about)}    ${key}: ${type}\n`).join(""))
  if (fields.some(({ key }) => !/^[a-z_]\w*$/i.test(key) || isPythonKeyword(key))) {
    const listed = fields.map(({ key, type }) => `${JSON.stringify(key)}: ${JSON.stringify(type)}`)
    const total = fields.every(({ isRequired }) => isRequired) ? "" : ", total=False"
    writer.classes.push(`${name} = TypedDict("${name}", {${listed.join(", ")}}${total})\n`)
    return
  }
  const required = fields.filter(({ isRequired }) => isRequired)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  if (optional.length === 0) writer.classes.push(withNames(required, `${name}(TypedDict)`))
  else if (required.length === 0) writer.classes.push(withNames(optional, `${name}(TypedDict, total=False)`))
  else
    writer.classes.push(
      withNames(required, `_${name}Required(TypedDict)`),
      withNames(optional, `${name}(_${name}Required, total=False)`)
    )
}

const literal = (value: unknown): string =>
  value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value)

/** Shares between 0 and 1 may be written as 0 or 1; all other decimals have a fraction. */
const numberType = (schema: Schema, isSent: boolean): string =>
  isSent || schema.minimum !== undefined ? "Union[Decimal, int]" : "Decimal"

export const pythonType = (schema: Schema, writer: Writer): string => {
  const name = referredTo(schema)
  if (name !== undefined) return `${writer.module}${name}`
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`
  const choices = choicesIn(schema)
  if (choices !== undefined) {
    const objects = choices.filter((one) => one.properties !== undefined).length
    return unionOf(
      choices.map((one, at) => pythonType(one, objects > 1 ? { ...writer, name: `${writer.name}${at + 1}` } : writer))
    )
  }
  if (schema.allOf?.length === 1) return pythonType(schema.allOf[0]!, writer)
  switch (schema.type) {
    case "array":
      return `List[${pythonType(schema.items ?? {}, { ...writer, name: `${writer.name}Item` })}]`
    case "object": {
      if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
        classOf(writer.name, schema, { ...writer, module: "" })
        return `${writer.module}${writer.name}`
      }
      const values = schema.additionalProperties
      return `Dict[str, ${typeof values === "object" ? pythonType(values, writer) : "Any"}]`
    }
    case "integer":
      return "int"
    case "number":
      return numberType(schema, writer.isSent)
    case "boolean":
      return "bool"
    case "null":
      return "None"
    case "string":
      return "str"
    default:
      return "Any"
  }
}

const nameOf = ({ group, name }: ContractOperation): string => `${pascalCase(group)}${pascalCase(name)}`

/** Types of the parameters, body, answer and items of an operation; their classes are added to `classes`. */
export const operationTypes = (one: ContractOperation, classes: Array<string> = []) => {
  const writer = (isSent: boolean, name: string): Writer => ({ isSent, name, classes, module: "types." })
  const name = nameOf(one)
  const answers = one.answers.map((schema, at) =>
    pythonType(schema, writer(false, `${name}Answer${at === 0 ? "" : at + 1}`))
  )
  return {
    body: one.body && pythonType(one.body.schema, writer(true, `${name}Request`)),
    answer: answers.length === 0 ? "None" : unionOf(answers),
    item: one.item && pythonType(one.item, writer(false, `${name}AnswerDataItem`)),
    typeOfParameter: (schema: Schema) => pythonType(schema, writer(true, name))
  }
}

const quoted = (type: string): string =>
  type.replaceAll(/"[^"]*"|\b[A-Z]\w+\b/g, (word) =>
    /^(Union|Optional|List|Dict|Literal|Decimal|Any|None)$/.test(word) || word.startsWith('"') ? word : `"${word}"`
  )

export const pythonTypes = (): string => {
  const classes: Array<string> = []
  for (const [name, schema] of Object.entries(contractSchemas)) {
    const writer = { isSent: sentComponents.has(name), name, classes, module: "" }
    const type = pythonType(schema, writer)
    // A class is written already. Names in an alias are quoted, since it is evaluated before later classes.
    if (type !== name) classes.push(`${name} = ${quoted(type)}\n`)
  }
  for (const one of contractOperations) operationTypes(one, classes)
  return `"""Requests and answers of the API. Decimals are exact: Decimal, never float."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

${Array.from(new Set(classes)).join("\n")}`
}
