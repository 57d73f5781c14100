/** Serves the guides of docs/ below /docs, as pages and as Markdown. `/docs/guides` and `/llms.txt` list them. */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { NotFound } from "../../domain/Failure.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { alsoByHead, type Incoming, type Route } from "../../platform/http/Route.ts"
import { compressAsset, assetReply, once } from "../../platform/http/ReferenceFiles.ts"

interface Guide {
  readonly type: string
  readonly body: Buffer
}

type Guides = ReadonlyMap<string, Guide>

/** The build writes them beside the server's bundle. */
const folder = new URL("guides/", import.meta.url)

const readBuilt = async (): Promise<Guides> => {
  const types = JSON.parse(await readFile(new URL("types.json", folder), "utf8")) as Readonly<Record<string, string>>
  const read = async ([path, type]: readonly [string, string]) =>
    [path, { type, body: await readFile(new URL(`${path}.guide`, folder)) }] as const
  return new Map(await Promise.all(Object.entries(types).map(read)))
}

interface Builder {
  readonly renderGuides: () => Promise<Guides>
}

/** A server that runs from its sources renders the Markdown itself. */
const renderNow = async (): Promise<Guides> => {
  const builder = new URL("build.mjs", import.meta.url)
  return ((await import(builder.href)) as Builder).renderGuides()
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const headersOf = (type: string) => ({
  "content-type": type,
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/** Written by the build for the address of the service. */
const ADDRESS = "{PUBLIC_URL}"

const noGuide = new NotFound({ message: "There is no such guide. The list is at /docs/guides." })

const prepare = async (guides: Guides, publicUrl: string) => {
  const assetOf = async ([path, { body, type }]: readonly [string, Guide]) => {
    const content = type.startsWith("image/") ? body : body.toString().replaceAll(ADDRESS, () => publicUrl)
    return [path, await compressAsset(content, headersOf(type))] as const
  }
  return new Map(await Promise.all(Array.from(guides, assetOf)))
}

/** The first reader has all guides read and compressed; they are kept. */
export const guideRoutes = Effect.gen(function* () {
  const { publicUrl } = yield* Settings
  const assets = once(async () => prepare(await readBuilt().catch(renderNow), publicUrl))
  const guide = (path: `/${string}`, nameOf: (incoming: Incoming) => string): Route => ({
    method: "GET",
    path,
    handle: (incoming) =>
      Effect.flatMap(Effect.promise(assets), (all) => {
        const asset = all.get(nameOf(incoming))
        return asset === undefined ? Effect.fail(noGuide) : Effect.succeed(assetReply(incoming, asset))
      })
  })
  const page = ({ params }: Incoming) => params["page"] ?? ""
  return alsoByHead([
    guide("/docs/:page", page),
    guide("/docs/decisions/:page", (incoming) => `decisions/${page(incoming)}`),
    guide("/llms.txt", () => "llms.txt")
  ])
})
