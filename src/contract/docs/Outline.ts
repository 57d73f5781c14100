/** The order of the page: operations by tag, and one unique anchor for every operation, tag, schema and heading. */
import { headingsOf } from "./Markdown.ts"
import {
  type Method,
  methods,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Reference,
  type Server
} from "./OpenApiDocument.ts"
import { resolve } from "./References.ts"

export interface OperationEntry {
  readonly anchor: string
  readonly method: Method
  readonly path: string
  readonly title: string
  readonly operation: Operation
  readonly parameters: ReadonlyArray<Parameter>
  readonly server: Server | undefined
  /** Whether a caller has to send credentials. */
  readonly authenticated: boolean
}

export interface TagEntry {
  readonly anchor: string
  readonly name: string
  readonly description: string | undefined
  readonly operations: ReadonlyArray<OperationEntry>
}

export interface Outline {
  readonly document: OpenApiDocument
  readonly tags: ReadonlyArray<TagEntry>
  /** Headings of the document's own description, in its order. */
  readonly headings: ReadonlyArray<{ readonly depth: number; readonly title: string; readonly anchor: string }>
  readonly schemas: ReadonlyArray<string>
  readonly schemaAnchor: (name: string) => string
}

const untagged = "Other"

const uniqueAnchors = () => {
  const taken = new Set<string>()
  return (prefix: string, text: string): string => {
    const slug = `${prefix}-${text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^-+|-+$/g, "")}`
    let anchor = slug
    for (let count = 2; taken.has(anchor); count++) anchor = `${slug}-${count}`
    taken.add(anchor)
    return anchor
  }
}

const parametersOf = (
  document: OpenApiDocument,
  shared: ReadonlyArray<Parameter | Reference> = [],
  own: ReadonlyArray<Parameter | Reference> = []
): ReadonlyArray<Parameter> => {
  const resolved = [...shared, ...own].flatMap((node) => resolve<Parameter>(document, node) ?? [])
  return [...new Map(resolved.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()]
}

/** As OpenAPI has it: an operation's own list wins, an empty one or an empty requirement means that none is needed. */
const isAuthenticated = (document: OpenApiDocument, operation: Operation): boolean => {
  const requirements = operation.security ?? document.security ?? []
  return requirements.length > 0 && requirements.every((requirement) => Object.keys(requirement).length > 0)
}

export const outlineOf = (document: OpenApiDocument): Outline => {
  const anchor = uniqueAnchors()
  const schemas = Object.keys(document.components?.schemas ?? {})
  const schemaAnchors = new Map(schemas.map((name) => [name, anchor("schema", name)]))

  const entries = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method): ReadonlyArray<OperationEntry> => {
      const operation = item[method]
      if (operation === undefined) return []
      return [
        {
          anchor: anchor("op", operation.operationId ?? `${method}-${path}`),
          method,
          path,
          title: operation.summary ?? operation.operationId ?? path,
          operation,
          parameters: parametersOf(document, item.parameters, operation.parameters),
          server: (operation.servers ?? item.servers ?? document.servers ?? [])[0],
          authenticated: isAuthenticated(document, operation)
        }
      ]
    })
  )

  const tagOf = (entry: OperationEntry): string => entry.operation.tags?.[0] ?? untagged
  const declared = new Map((document.tags ?? []).map((tag) => [tag.name, tag.description]))
  const used = new Set(entries.map(tagOf))
  const names = [...new Set([...declared.keys(), ...used])].filter((name) => used.has(name))
  return {
    document,
    tags: names.map((name) => ({
      anchor: anchor("tag", name),
      name,
      description: declared.get(name),
      operations: entries.filter((entry) => tagOf(entry) === name)
    })),
    headings: headingsOf(document.info.description ?? "").map((heading) => ({
      ...heading,
      anchor: anchor("about", heading.title)
    })),
    schemas,
    schemaAnchor: (name) => schemaAnchors.get(name) ?? "schemas"
  }
}
