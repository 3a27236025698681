// `centavo sandbox projects list`: lists the projects of the sandbox, and marks the one in use.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {resultOfRecords} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {projectsIn} from '../../../config/projects.js';

const PROJECT = schema.record({
  name: schema.text,
  active: schema.boolean,
  /** Null without a file, or for one that cannot be read. */
  customers: schema.nullable(schema.integer),
  billing_statements: schema.nullable(schema.integer),
  changed_at: schema.nullable(schema.timestamp),
  file: schema.text,
});

export class ProjectsListCommand extends BaseCommand {
  static override summary = 'List the projects of the sandbox.';
  static override description =
    'Each project is a sandbox with its own data, keys, clock and listeners. The first command with a new name creates its project. To choose one, add --project, or set CENTAVO_PROJECT.';
  static override examples = [
    '<%= config.bin %> sandbox projects list',
    '<%= config.bin %> sandbox seed --project shop',
  ];
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.page(PROJECT);

  async run(): Promise<void> {
    await this.read(ProjectsListCommand);
    const {context} = this;
    const current = context.project();
    const {describeProject} = await context.projects();
    const rows = projectsIn(context.dataDirectory()).map(({name, file}) => {
      const found = describeProject(file);
      return {
        name,
        active: name === current,
        customers: found ? (found.counts.customer ?? 0) : null,
        billing_statements: found ? (found.counts.billing_statement ?? 0) : null,
        changed_at: found?.changedAt ?? null,
        file,
      };
    });
    const columns = ['name', 'active', 'customers', 'billing_statements', 'changed_at'];
    await this.print(resultOfRecords(PROJECT, rows, {columns}));
  }
}
