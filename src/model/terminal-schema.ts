import { boolean, integer, list, object, oneOf, optional, string } from './schema.ts';
import { backendNames, sandboxModes } from './terminal-settings.ts';

const ssh = object(
  {
    host: optional(string('its name or address, or what your ssh settings call it', { minLength: 1 })),
    user: optional(string('who logs in there', { minLength: 1 })),
    port: optional(integer('its port', { minimum: 1, maximum: 65_535 })),
    key_file: optional(string('the private key to log in with', { minLength: 1 })),
    known_hosts_file: optional(string('where its host key is looked up (~/.ssh/known_hosts)', { minLength: 1 })),
  },
  'the host that commands run on, where the backend is ssh',
);

const docker = object(
  {
    image: optional(string('each session gets a container of it', { minLength: 1 })),
    container: optional(string('a container that is there already, instead of an image', { minLength: 1 })),
    command: optional(oneOf(['docker', 'podman'], 'the program that runs containers (docker)')),
    network: optional(string('the network of a container of ours (none)', { minLength: 1 })),
    memory_mb: optional(integer('how much memory it may take (2048)', { minimum: 16 })),
    pids_limit: optional(integer('how many processes it may have (512)', { minimum: 16 })),
  },
  'the container that commands run in, where the backend is docker',
);

/** What `config.yaml` can say about the shell. */
export const terminalSchema = object(
  {
    timeout: optional(integer('seconds after which a command is ended', { minimum: 1, maximum: 600 })),
    env_passthrough: optional(
      list(string('a name'), 'environment variables that commands may see besides the usual ones'),
    ),
    sandbox: optional(
      oneOf(
        sandboxModes,
        'whether commands are set apart from the system: where that can be done, always, never (auto)',
      ),
    ),
    sandbox_network: optional(boolean('whether they reach the network there (false)')),
    backend: optional(oneOf(backendNames, 'where commands run: on this machine (local), by ssh, in a container')),
    ssh: optional(ssh),
    docker: optional(docker),
  },
  'the shell',
);
