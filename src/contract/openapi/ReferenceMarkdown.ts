/** The API reference as Markdown, for programs: operations in the order of the page, without schemas. */

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
}

interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly "x-codeSamples"?: ReadonlyArray<{ readonly label: string; readonly source: string }>
}

interface Document {
  readonly info: { readonly title: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const parameterText = ({ description = "", in: place, name }: Parameter): string =>
  `- \`${name}\` (${place})${description === "" ? "" : `: ${description}`}`

const operationText = (method: string, path: string, operation: Operation): string => {
  const sample = operation["x-codeSamples"]?.find(({ label }) => label === "curl")
  return [
    `### ${operation.summary}`,
    `\`${method.toUpperCase()} /v1${path}\``,
    operation.description,
    (operation.parameters ?? []).map(parameterText).join("\n"),
    sample === undefined ? "" : `\`\`\`sh\n${sample.source}\n\`\`\``
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

export const referenceMarkdown = (openApi: string): string => {
  const { info, paths, tags } = JSON.parse(openApi) as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation }))
  )
  const sections = tags.map(({ description, name }) =>
    [
      `## ${name}\n\n${description}`,
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ method, operation, path }) => operationText(method, path, operation))
    ].join("\n\n")
  )
  return [
    `# ${info.title}`,
    info.description.replaceAll("(./docs/guides)", "(./docs/guides.md)"),
    "Schemas, answers and errors: [OpenAPI document](./openapi.json).",
    ...sections
  ]
    .join("\n\n")
    .concat("\n")
}
