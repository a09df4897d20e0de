import type { McpServers as ServerSettings } from '../model/mcp-settings.ts';
import type { ProjectServersSource, ProjectTools } from '../model/project-servers.ts';
import type { ToolServerReport } from '../model/tool-servers.ts';
import type { AwaitedLogin } from '../tools/mcp/login-news.ts';
import type { McpServers, McpServersDeps } from '../tools/mcp/mcp-servers.ts';
import { ToolRegistry } from '../tools/registry.ts';

export interface ProjectServerParts {
  readonly projects: ProjectServersSource;
  /** The servers of the settings, whose names are taken. */
  readonly taken: () => ServerSettings;
  readonly redact: (text: string) => string;
  readonly open: (folder: string, deps: Pick<McpServersDeps, 'registry' | 'wished'>) => Promise<McpServers>;
}

interface Project {
  readonly servers: McpServers;
  readonly tools: ToolRegistry;
}

interface Wish {
  readonly from: ServerSettings | undefined;
  readonly taken: ServerSettings;
  readonly wished: ServerSettings;
}

/**
 * The servers that trusted projects name, for the sessions of those projects alone. Their tools stand in registries of their
 * own, so that what happens in one project costs no conversation elsewhere its cache.
 */
export class ProjectToolServers implements AsyncDisposable {
  readonly #parts: ProjectServerParts;
  readonly #opening = new Map<string, Promise<Project>>();
  readonly #projects = new Map<string, Project>();
  readonly #wishes = new Map<string, Wish>();

  constructor(parts: ProjectServerParts) {
    this.#parts = parts;
  }

  /** Connects to what the project around a folder names, and leaves what is not trusted any more. */
  async prepare(workdir: string): Promise<readonly AwaitedLogin[]> {
    const here = this.#folderOf(workdir);
    const left = [...this.#projects].filter(([folder]) => this.#folderOf(folder) !== folder);
    await Promise.all(left.map(([, { servers }]) => servers.prepare()));
    if (here === undefined) return [];
    const { servers } = await this.#openUp(here);
    await servers.prepare();
    return servers.awaitedLogins();
  }

  tools(workdir: string): ProjectTools | undefined {
    const folder = this.#folderOf(workdir);
    const project = folder === undefined ? undefined : this.#projects.get(folder);
    return project && { generation: project.tools.generation, tools: project.tools.tools };
  }

  async reload(): Promise<void> {
    await Promise.all([...this.#projects.values()].map(({ servers }) => servers.reload()));
  }

  report(): readonly ToolServerReport[] {
    return [...this.#projects].flatMap(([project, { servers }]) =>
      servers.report().map((server) => ({ ...server, project })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.all(this.#opening.values());
    await Promise.all(opened.map(({ servers }) => servers[Symbol.asyncDispose]()));
  }

  /** The folder whose servers count in a folder. */
  #folderOf(workdir: string): string | undefined {
    return this.#parts.projects.trustedAt(workdir)?.folder;
  }

  async #openUp(folder: string): Promise<Project> {
    const opening = this.#opening.get(folder) ?? this.#open(folder);
    this.#opening.set(folder, opening);
    return await opening;
  }

  async #open(folder: string): Promise<Project> {
    const { redact, open } = this.#parts;
    const tools = new ToolRegistry(redact);
    const servers = await open(folder, { registry: tools, wished: () => this.#wished(folder) });
    const project = { servers, tools };
    this.#projects.set(folder, project);
    return project;
  }

  /** Without those that have the name of one in the settings: that one is meant. The same object while nothing changes. */
  #wished(folder: string): ServerSettings {
    const found = this.#parts.projects.trustedAt(folder);
    const from = found?.folder === folder ? found.servers : undefined;
    const taken = this.#parts.taken();
    const known = this.#wishes.get(folder);
    if (known !== undefined && known.from === from && known.taken === taken) return known.wished;
    const wished = Object.fromEntries(Object.entries(from ?? {}).filter(([name]) => taken[name] === undefined));
    this.#wishes.set(folder, { from, taken, wished });
    return wished;
  }
}
