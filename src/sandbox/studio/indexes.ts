// Indexes for the studio's queries. Only a served sandbox has them, because they slow down writes.

// Queries must repeat these expressions exactly to use the index.
export const STATUS_INDEX = "json_extract(body, '$.status')";
export const CUSTOMER_INDEX = "coalesce(json_extract(body, '$.customer_id'), json_extract(body, '$._customer_id'))";

export const INDEXES = `
  CREATE INDEX IF NOT EXISTS objects_deleted ON objects (resource) WHERE deleted = 1;
  CREATE INDEX IF NOT EXISTS objects_by_status ON objects (resource, ${STATUS_INDEX}, seq) WHERE deleted = 0 AND ${STATUS_INDEX} IS NOT NULL;
  CREATE INDEX IF NOT EXISTS objects_of_customer ON objects (${CUSTOMER_INDEX}, seq) WHERE ${CUSTOMER_INDEX} IS NOT NULL;
  CREATE INDEX IF NOT EXISTS events_by_type ON objects (json_extract(body, '$.type'), seq) WHERE resource = 'event';
  CREATE INDEX IF NOT EXISTS events_by_cause ON objects (json_extract(body, '$._cause'), seq) WHERE resource = 'event';
`;
