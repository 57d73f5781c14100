/** Writes the operations of the Python client: one class for each group of the contract, one method for each operation. */
import { pythonName, snakeCase } from "../../contract/openapi/CodeSamples.ts"
import { byGroup, type ContractOperation } from "./ContractOperations.ts"
import { operationTypes } from "./PythonTypes.ts"

const allOf = (method: string): string => (method === "list" ? "all" : `all_${method}`)

const dictionary = (all: ContractOperation["query"]): string =>
  `{${all.map(({ name }) => `${JSON.stringify(name)}: ${pythonName(name)}`).join(", ")}}`

const cursors = new Set(["last_evaluated_key", "lastEvaluatedKey"])

const methodOf = (one: ContractOperation): string => {
  const { answer, body, item, typeOfParameter } = operationTypes(one)
  const optional = (type: string) => (type.startsWith("Optional[") ? type : `Optional[${type}]`)
  const named = (all: ContractOperation["query"]) =>
    all.map(({ name, required, schema }) =>
      required
        ? `${pythonName(name)}: ${typeOfParameter(schema)}`
        : `${pythonName(name)}: ${optional(typeOfParameter(schema))} = None`
    )
  const required = (some: ReadonlyArray<string>) => [
    ...some.filter((text) => !text.endsWith("= None")),
    ...some.filter((text) => text.endsWith("= None"))
  ]
  const positional = [
    ...one.pathParameters.map(({ name }) => `${pythonName(name)}: str`),
    ...(body === undefined
      ? []
      : [one.body?.isRequired === true ? `payload: ${body}` : `payload: ${optional(body)} = None`])
  ]
  const signature = (query: ContractOperation["query"], more: ReadonlyArray<string>) => {
    const keywords = required([...named(query), ...named(one.headers), ...more])
    return ["self", ...positional, ...(keywords.length === 0 ? [] : ["*", ...keywords])].join(", ")
  }
  const path = `path(${[JSON.stringify(one.path.replaceAll(/\{\w+\}/g, "{}")), ...one.pathParameters.map(({ name }) => pythonName(name))].join(", ")})`
  const call = (query: ContractOperation["query"]) =>
    [
      JSON.stringify(one.method),
      path,
      ...(query.length === 0 ? [] : [`query=${dictionary(query)}`]),
      ...(one.headers.length === 0 ? [] : [`headers=${dictionary(one.headers)}`]),
      ...(body === undefined ? [] : ["payload=payload"])
    ].join(", ")
  const method = pythonName(one.name)
  const key = one.keyed ? ["idempotency_key: Optional[str] = None"] : []
  const keyed = one.keyed ? ", keyed=True, idempotency_key=idempotency_key" : ""
  const sent = `self._transport.call(${call(one.query)}${keyed})`
  const lines = [
    `    def ${method}(${signature(one.query, key)}) -> ${answer}:`,
    `        """${one.summary}."""`,
    answer === "None" ? `        ${sent}` : `        return cast(${JSON.stringify(answer)}, ${sent})`
  ]
  if (item !== undefined) {
    const query = one.query.filter(({ name }) => !cursors.has(name))
    lines.push(
      "",
      `    def ${allOf(method)}(${signature(query, [])}) -> Iterator[${item}]:`,
      `        """${one.summary}: every item, page after page."""`,
      `        return cast("Iterator[${item}]", self._transport.items(${call(query)}))`
    )
  }
  return lines.join("\n")
}

const className = (group: string): string => group[0]!.toUpperCase() + group.slice(1)

export const pythonOperations = (): string => {
  const groups = Array.from(byGroup())
  const classes = groups.map(
    ([group, operations]) => `class ${className(group)}:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

${operations.map(methodOf).join("\n\n")}
`
  )
  const attributes = groups.map(([group]) => `        self.${snakeCase(group)} = ${className(group)}(transport)`)
  return `"""The operations of the API, by group."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, Iterator, List, Literal, Optional, Union, cast

from . import types
from ._transport import Transport, path

${classes.join("\n\n")}

class Operations:
    def __init__(self, transport: Transport) -> None:
${attributes.join("\n")}
`
}
