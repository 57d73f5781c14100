/** The packages for other programs, built from this source, and programs that use them. */
import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"

export const hasPython = spawnSync("python3", ["--version"]).status === 0

/** Returns the folder of the npm package; the Python package is in its folder `python`. */
export const buildPackages = async (folder: string, about: { readonly types: boolean }): Promise<string> => {
  const place = join(folder, "build")
  mkdirSync(place)
  // The contract is loaded from there.
  symlinkSync(resolve("node_modules"), join(place, "node_modules"))
  const builder = JSON.stringify(resolve("src/client/build.mjs"))
  const outdir = join(place, "dist")
  const program = `await (await import(${builder})).buildClient(${JSON.stringify(outdir)}, ${JSON.stringify(about)})`
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program])
  return join(outdir, "client")
}

/** Peers of `@corridor/client/effect`. */
export const installEffect = (folder: string): void => {
  for (const name of ["effect", "@effect"])
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name))
}

/** Builds both packages and installs them in a folder: `@corridor/client` in node_modules, `corridor` in `python`. */
export const installClients = async (folder: string): Promise<void> => {
  const built = await buildPackages(folder, { types: false })
  mkdirSync(join(folder, "node_modules", "@corridor"), { recursive: true })
  cpSync(built, join(folder, "node_modules", "@corridor", "client"), { recursive: true })
  cpSync(join(built, "python"), join(folder, "python"), { recursive: true })
  installEffect(folder)
}

/** Standard output of a program; a failure shows what it wrote to standard error. */
export const outputOf = async (
  folder: string,
  command: string,
  words: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const env = { ...process.env, PYTHONPATH: join(folder, "python"), PYTHONDONTWRITEBYTECODE: "1", ...variables }
  const { stdout } = await promisify(execFile)(command, [...words], { cwd: folder, env, maxBuffer: 1 << 24 })
  return stdout
}
