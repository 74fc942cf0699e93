--liquibase formatted sql

--changeset gator:1
create table customer (id bigint primary key);
