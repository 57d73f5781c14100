/** Deployment files: every setting exists, and the files agree with each other. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import about from "../../package.json" with { type: "json" }
import { SERVER_FLAGS } from "../support/TestCluster.ts"
import { knownSettings } from "./DeploySettings.ts"

/** Untyped parser output. */
type Tree = Readonly<Record<string, ReturnType<typeof JSON.parse>>>

const read = (path: string): string => readFileSync(join("deploy", path), "utf8")
const settings = Effect.runSync(knownSettings)

/** Settings of Node, the C library and PostgreSQL's image. */
const others = new Set(["NODE_ENV", "MALLOC_ARENA_MAX", "POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"])

const expectKnown = (names: Iterable<string>, where: string) => {
  const all = [...names]
  expect(all.length, where).toBeGreaterThan(0)
  expect(
    all.filter((name) => !settings.has(name) && !others.has(name)),
    where
  ).toEqual([])
}

describe("settings", () => {
  it("are recorded", () => {
    expect(settings.size).toBeGreaterThan(60)
    for (const name of ["PORT", "CORRIDOR_MASTER_KEY", "STRIPE_SECRET_KEY", "CARD_DATA"])
      expect(settings).toContain(name)
    expect(settings).not.toContain("CORRIDOR_MASTERKEY")
  })

  it("in files all exist", () => {
    const example = read("corridor.env.example").matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)
    expectKnown(
      Array.from(example, ([, name]) => name!),
      "corridor.env.example"
    )
    const environment = Array.from(read("Dockerfile").matchAll(/^ENV (.*)$/gm), ([, line]) => line!).join(" ")
    expectKnown(
      Array.from(environment.matchAll(/([A-Z_]+)=/g), ([, name]) => name!),
      "Dockerfile"
    )
    for (const unit of ["corridor.service", "corridor-backup.service"]) {
      const lines = Array.from(read(`systemd/${unit}`).matchAll(/^Environment=(.*)$/gm), ([, line]) => line!)
      expectKnown(
        Array.from(lines.join(" ").matchAll(/([A-Z_]+)=/g), ([, name]) => name!),
        unit
      )
    }
    const { services } = parse(read("compose.yml")) as Tree
    for (const name of ["postgres", "corridor"]) expectKnown(Object.keys(services[name].environment), `compose ${name}`)
    const inCompose = Array.from(read("compose.yml").matchAll(/\$\{([A-Z_]+)/g), ([, name]) => name!)
    expectKnown(inCompose, "what compose asks for")
    expectKnown(Object.keys((parse(read("kubernetes/configmap.yaml")) as Tree)["data"]), "configmap.yaml")
    expectKnown(
      Object.keys((parse(read("kubernetes/secret.example.yaml")) as Tree)["stringData"]),
      "secret.example.yaml"
    )
  })
})

describe("the image", () => {
  const dockerfile = read("Dockerfile")
  const [, final = ""] = dockerfile.split(/^FROM .*\n/m).slice(1)

  it("has a user, a health check and a stop signal", () => {
    expect(final).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
    expect(final).toMatch(/^HEALTHCHECK /m)
    expect(final).toMatch(/^STOPSIGNAL SIGTERM$/m)
    expect(final).toMatch(/^CMD \["node", /m)
  })

  it("copies existing files, and .dockerignore sends only those", () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm), ([, names]) =>
      names!.split(" ")
    ).flat()
    for (const name of copied) expect(existsSync(name), name).toBe(true)
    const [nothing, ...sent] = readFileSync(".dockerignore", "utf8").trim().split("\n")
    expect(nothing).toBe("*")
    expect(sent.map((line) => line.slice(1)).sort()).toEqual([...copied].sort())
  })

  it("starts with the flags of npm start, as all starters do: the code cache fits one set of flags", () => {
    const [spaced, quoted] = [SERVER_FLAGS.join(" "), SERVER_FLAGS.map((flag) => JSON.stringify(flag)).join(", ")]
    expect(about.scripts.start).toContain(`node ${spaced} dist/main.mjs`)
    expect(read("systemd/corridor.service")).toContain(`node ${spaced} /opt/corridor/dist/main.mjs`)
    expect(dockerfile).toContain(`["node", ${quoted}, "dist/main.mjs"]`)
    for (const file of ["scripts/build.mjs", "scripts/run.mjs"]) {
      expect(readFileSync(file, "utf8"), file).toContain(`[${quoted}`)
    }
  })

  it("contains the build without packages", () => {
    const [, last] = dockerfile.split(/^FROM .*$/m).slice(1)
    expect(last).toContain("COPY --from=build /opt/corridor/dist ./dist")
    expect(last!.match(/^COPY .*/gm)).toHaveLength(2)
    expect(last!.replace(/rm -rf .*/, "")).not.toContain("node_modules")
  })

  it("has the version of package.json", () => {
    expect(dockerfile).toContain(`corridor:${about.version}`)
    expect((parse(read("compose.yml")) as Tree)["services"].corridor.image).toBe(`corridor:${about.version}`)
    expect((parse(read("kubernetes/kustomization.yaml")) as Tree)["images"][0].newTag).toBe(about.version)
  })
})

describe("compose", () => {
  const { services, volumes } = parse(read("compose.yml")) as Tree

  it("mounts declared volumes and existing files", () => {
    for (const { volumes: mounts = [] } of Object.values(services) as ReadonlyArray<Tree>) {
      for (const mount of mounts as ReadonlyArray<string>) {
        const [source = ""] = mount.split(":")
        if (source.startsWith("./")) expect(existsSync(join("deploy", source)), source).toBe(true)
        else expect(Object.keys(volumes), source).toContain(source)
      }
    }
  })

  it("passes every setting of live mode from an optional, ignored .env", () => {
    expect(services.corridor.env_file).toEqual([{ path: ".env", required: false }])
    expect(readFileSync(".gitignore", "utf8")).toMatch(/^\.env$/m)
    const example = Array.from(read("corridor.env.example").matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm))
    // Overrides of .env: also needed by a sandbox, or about the container's network.
    const said = services.corridor.environment as Readonly<Record<string, string>>
    const lost = example.flatMap(([, name]) => (said[name!] === undefined || said[name!]!.includes("${") ? [] : name!))
    expect(lost).toEqual(["HOST", "PORT", "METRICS_PORT"])
  })

  it("waits for a healthy database, and gives the service time to end", () => {
    expect(services.corridor.depends_on.postgres.condition).toBe("service_healthy")
    expect(services.postgres.healthcheck.test[0]).toBe("CMD-SHELL")
    expect(Number.parseInt(services.corridor.stop_grace_period, 10)).toBeGreaterThan(15)
  })
})

describe("the units of systemd", () => {
  const units = readdirSync("deploy/systemd")

  it.skipIf(spawnSync("systemd-analyze", ["--version"]).error !== undefined)(
    "pass systemd-analyze (skipped if not installed)",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "corridor-units-"))
      // systemd checks that the program exists.
      for (const unit of units) {
        writeFileSync(join(folder, unit), read(`systemd/${unit}`).replaceAll("/usr/bin/node", process.execPath))
      }
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...units.map((unit) => join(folder, unit))], {
        encoding: "utf8"
      })
      rmSync(folder, { recursive: true })
      expect(stderr.split("\n").filter((line) => line.includes("corridor"))).toEqual([])
      expect(status).toBe(0)
    }
  )

  it("use the user, folders and build of docs/operating.md", () => {
    const page = readFileSync("docs/operating.md", "utf8")
    const [, lines = ""] = /### The units of systemd\n[^]*?```sh\n([^]*?)```/.exec(page) ?? []
    const [service, backup] = [read("systemd/corridor.service"), read("systemd/corridor-backup.service")]
    const build = /\((npm ci .*?)\)/.exec(service)?.[1]
    expect(lines).toContain(build)
    // Without the client, which needs development packages.
    expect(build).toBe(`npm ci --omit=dev && ${about.scripts.build.replace(" --client", "")}`)
    for (const unit of [service, backup]) {
      expect(lines).toMatch(new RegExp(`^useradd .* ${/^User=(.*)$/m.exec(unit)?.[1]}$`, "m"))
      expect(lines).toContain(` ${/^EnvironmentFile=(.*)$/m.exec(unit)?.[1]} `)
    }
    expect(lines).toContain(` ${/^ReadWritePaths=(.*)$/m.exec(backup)?.[1]}\n`)
  })

  it("start the build as an unprivileged user, with time to stop", () => {
    const unit = read("systemd/corridor.service")
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node .*\/dist\/main\.mjs$/m)
    expect(unit).toMatch(/^User=corridor$/m)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15)
    expect(unit).toMatch(/^KillMode=mixed$/m)
    expect(units).toContain("corridor-backup.timer")
  })
})

describe("the manifests of Kubernetes", () => {
  const { namespace, resources } = parse(read("kubernetes/kustomization.yaml")) as Tree
  const documents: ReadonlyArray<Tree> = (resources as ReadonlyArray<string>).flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => {
      expect(document.errors, file).toEqual([])
      return document.toJS() as Tree
    })
  )
  const one = (kind: string): Tree => {
    const found = documents.filter((document) => document["kind"] === kind)
    expect(found, kind).toHaveLength(1)
    return found[0]!
  }
  const pods = (): ReadonlyArray<Tree> => [
    one("Deployment")["spec"].template,
    one("CronJob")["spec"].jobTemplate.spec.template
  ]

  it("are all listed, with valid versions, in one namespace", () => {
    const files = readdirSync("deploy/kubernetes").filter(
      (file) => !/^(kustomization|secret\.example)\.yaml$/.test(file)
    )
    expect([...resources].sort()).toEqual(files.sort())
    const versions: Readonly<Record<string, string>> = {
      ConfigMap: "v1",
      CronJob: "batch/v1",
      Deployment: "apps/v1",
      Namespace: "v1",
      NetworkPolicy: "networking.k8s.io/v1",
      PersistentVolumeClaim: "v1",
      PodDisruptionBudget: "policy/v1",
      Service: "v1",
      ServiceAccount: "v1"
    }
    for (const { apiVersion, kind, metadata } of documents) {
      expect(apiVersion, kind).toBe(versions[kind])
      expect(metadata.name, kind).toMatch(/^[a-z][a-z0-9-]{0,62}$/)
      if (kind !== "Namespace") expect(metadata.namespace, kind).toBe(namespace)
    }
  })

  it("match by labels, names and ports", () => {
    const { selector, template } = one("Deployment")["spec"]
    const { labels } = template.metadata
    expect(labels).toMatchObject(selector.matchLabels)
    expect(labels).toMatchObject(one("Service")["spec"].selector)
    expect(labels).toMatchObject(one("PodDisruptionBudget")["spec"].selector.matchLabels)
    expect(labels).toMatchObject(one("NetworkPolicy")["spec"].podSelector.matchLabels)
    const [container] = template.spec.containers
    const ports = new Map<string, number>(
      container.ports.map(({ containerPort, name }: Tree) => [name as string, containerPort as number])
    )
    const named = [
      ...one("Service")["spec"].ports.map(({ targetPort }: Tree) => targetPort),
      ...one("NetworkPolicy")["spec"].ingress.flatMap((rule: Tree) => rule["ports"].map(({ port }: Tree) => port)),
      ...["startupProbe", "readinessProbe", "livenessProbe"].map((probe) => container[probe].httpGet.port)
    ]
    for (const port of named) expect([...ports.keys()]).toContain(port)
    const { data } = one("ConfigMap")
    expect(String(ports.get("metrics"))).toBe(data.METRICS_PORT)
    expect(template.metadata.annotations["prometheus.io/port"]).toBe(data.METRICS_PORT)
    expect(read("Dockerfile")).toContain(`PORT=${ports.get("http")} `)
  })

  it("read existing settings, run unprivileged, and mount declared volumes", () => {
    const secret = parse(read("kubernetes/secret.example.yaml")) as Tree
    for (const { spec } of pods()) {
      expect(spec.serviceAccountName).toBe(one("ServiceAccount")["metadata"].name)
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } })
      const volumes = spec.volumes.map(({ name }: Tree) => name)
      for (const container of spec.containers as ReadonlyArray<Tree>) {
        const sources = container["envFrom"].map((from: Tree) => (from["configMapRef"] ?? from["secretRef"]).name)
        expect(sources).toEqual([one("ConfigMap")["metadata"].name, secret["metadata"].name])
        expect(container["securityContext"]).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] }
        })
        expect(container["resources"].limits.memory).toMatch(/^\d+Mi$/)
        for (const { name } of container["volumeMounts"]) expect(volumes).toContain(name)
      }
    }
    const claimed = pods().flatMap(({ spec }) =>
      spec.volumes.flatMap(({ persistentVolumeClaim: claim }: Tree) => claim?.claimName ?? [])
    )
    const claims = documents.filter(({ kind }) => kind === "PersistentVolumeClaim").map(({ metadata }) => metadata.name)
    expect(claimed.toSorted()).toEqual(claims.toSorted())
  })

  it("archive detached partitions on a shared volume", () => {
    const { containers, volumes } = one("Deployment")["spec"].template.spec
    const mount = containers[0].volumeMounts.find(
      ({ mountPath }: Tree) => mountPath === one("ConfigMap")["data"].ARCHIVE_DIR
    )
    const volume = volumes.find(({ name }: Tree) => name === mount?.name)
    const claim = documents.find(({ metadata }) => metadata.name === volume?.persistentVolumeClaim?.claimName)
    expect(claim?.["spec"].accessModes).toEqual(["ReadWriteMany"])
  })

  it("allow time to end, and probe existing paths", () => {
    const { spec } = pods()[0]!
    const [container] = spec.containers
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(15 + 5)
    expect(container.readinessProbe.httpGet.path).toBe("/readyz")
    expect(container.livenessProbe.httpGet.path).toBe("/healthz")
  })

  it("have all required settings of live mode", () => {
    const set = {
      ...one("ConfigMap")["data"],
      ...(parse(read("kubernetes/secret.example.yaml")) as Tree)["stringData"]
    }
    for (const name of ["DATABASE_URL", "CORRIDOR_MASTER_KEY", "PUBLIC_URL", "JWT_ISSUER"]) {
      expect(Object.keys(set)).toContain(name)
    }
    // A text of 16 characters would be taken for a passphrase, and everybody knows this one.
    expect(set["CORRIDOR_MASTER_KEY"]).toBe("")
  })
})
